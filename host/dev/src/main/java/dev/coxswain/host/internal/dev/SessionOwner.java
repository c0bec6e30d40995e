// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.ctl.internal.cli.SessionFile;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file in the folder of a development session that names its process, so that a later session
 * can delete the folder of a killed one.
 *
 * <p>Thread rule: stateless.
 */
public final class SessionOwner {

  static final String NAME = "owner";

  private static final Path NAMESPACE = Path.of("/proc/self/ns/pid");
  private static final int MAX_SIZE = 1024;

  private SessionOwner() {}

  /** Writes the file into the folder of this session. */
  public static void write(Path folder) throws IOException {
    Files.writeString(folder.resolve(NAME), text(ProcessHandle.current()));
  }

  /**
   * Deletes the folders of sessions whose process has ended. Folders that cannot be read, of other
   * users, or of processes of another container are kept.
   */
  public static void deleteAbandoned(@Nullable Path temporaryFolder, Consumer<Path> delete) {
    if (temporaryFolder == null) {
      return;
    }
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(temporaryFolder, SessionFile.FOLDER_PREFIX + "*")) {
      for (Path folder : folders) {
        if (isAbandoned(folder)) {
          delete.accept(folder);
        }
      }
    } catch (IOException e) {
      // Retried by the next session.
    }
  }

  private static boolean isAbandoned(Path folder) {
    try {
      Path file = folder.resolve(NAME);
      if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
          || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
          || !Files.getOwner(folder).getName().equals(System.getProperty("user.name"))
          || Files.size(file) > MAX_SIZE) {
        return false;
      }
      String text = Files.readString(file);
      String[] parts = text.split(" ", -1);
      return parts.length == 3
          && parts[2].equals(namespace())
          && !ProcessHandle.of(Long.parseLong(parts[0]))
              .filter(ProcessHandle::isAlive)
              .map(SessionOwner::text)
              .equals(Optional.of(text));
    } catch (IOException | NumberFormatException e) {
      return false; // ending, or of another user
    }
  }

  /** Returns the identity of a process: process ids are reused, so it includes the start time. */
  private static String text(ProcessHandle process) {
    return "%s %s %s"
        .formatted(
            process.pid(),
            process.info().startInstant().map(Object::toString).orElse("-"),
            namespace());
  }

  /** Returns the namespace of process ids, which differs between containers. */
  private static String namespace() {
    try {
      return Files.readSymbolicLink(NAMESPACE).toString();
    } catch (IOException | UnsupportedOperationException e) {
      return "-";
    }
  }
}
