// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.client;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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
   * Writes the file; only its owner reads it.
   *
   * @param tokenFile the name of the file with the token; empty when there is none
   */
  public static void write(Path folder, List<String> servers, String tokenFile) throws IOException {
    String json =
        "{\"pid\":%d,\"servers\":[%s],\"tokenFile\":\"%s\"}%n"
            .formatted(
                ProcessHandle.current().pid(),
                servers.stream().map(server -> '"' + server + '"').collect(Collectors.joining(",")),
                tokenFile);
    Path file = folder.resolve(NAME);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, json);
  }
}
