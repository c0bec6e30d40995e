// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The file by which {@code coxswain ctl} finds a development session: addresses of its admin APIs,
 * and the name of the file with the token. It is written at once and deleted with the folder.
 *
 * <p>Thread rule: stateless.
 */
public final class SessionFile {

  /** The prefix of folders of development sessions. */
  public static final String FOLDER_PREFIX = "coxswain-dev-";

  /** The name of the file. */
  public static final String NAME = "session.json";

  private SessionFile() {}

  /**
   * Writes the file, readable only by its owner.
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
