// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The file by which {@code coxswain ctl} finds a development run: where its admin APIs are and
 * which file beside it holds the token. It is complete when it is there, and goes with the folder.
 *
 * <p>Thread rule: stateless.
 */
public final class SessionFile {

  /** What the names of the folders of development runs begin with. */
  public static final String FOLDER_PREFIX = "coxswain-dev-";

  /** The name of the file. */
  public static final String NAME = "session.json";

  private SessionFile() {}

  /**
   * Writes the file.
   *
   * @param tokenFile the name of the file with the token; empty when there is none
   */
  static void write(Path folder, List<String> servers, String tokenFile) throws IOException {
    String json =
        "{\"pid\":%d,\"servers\":[%s],\"tokenFile\":\"%s\"}%n"
            .formatted(
                ProcessHandle.current().pid(),
                servers.stream().map(server -> '"' + server + '"').collect(Collectors.joining(",")),
                tokenFile);
    DevToken.write(folder.resolve(NAME), json);
  }
}
