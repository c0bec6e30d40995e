// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.SessionFile;
import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of {@code coxswain dev} that run on this machine, found by the file that each writes
 * into its folder.
 *
 * <p>The folder of temporary files is shared, so a session is used only if its folder belongs to
 * the user and has no permissions for others.
 */
public final class DevSessions {

  private static final int MAX_SIZE = 64 * 1024;

  private DevSessions() {}

  /** Returns the endpoint of the only running session, or null when none runs. */
  public static @Nullable Endpoint only(Path temporaryFolder, @Nullable Supplier<String> token) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> folders =
        Files.newDirectoryStream(temporaryFolder, SessionFile.FOLDER_PREFIX + "*")) {
      for (Path folder : folders) {
        if (in(folder).isPresent()) {
          found.add(folder);
        }
      }
    } catch (IOException e) {
      return null; // no such folder, no session
    }
    if (found.size() > 1) {
      throw new CommandException(
          found.size()
              + " sessions of coxswain dev are running; choose one with --server, or with the"
              + " KUBECONFIG that it printed");
    }
    return found.isEmpty() ? null : beside(found.getFirst().resolve("any"), token);
  }

  /** Returns the endpoint of the session that wrote a kubeconfig file, or null. */
  public static @Nullable Endpoint beside(Path kubeconfig, @Nullable Supplier<String> token) {
    Path folder = kubeconfig.toAbsolutePath().getParent();
    Json session = folder == null ? null : in(folder).orElse(null);
    if (session == null || folder == null) {
      return null;
    }
    List<URI> servers =
        session.list("servers").stream().map(Json::asText).map(URI::create).toList();
    Path file = folder.resolve(session.text("tokenFile"));
    if (token == null && session.text("tokenFile").isEmpty()) {
      throw new CommandException(
          "the session of coxswain dev has no token, because admin.auth.mode is configured:"
              + " give --token-file or "
              + TokenSource.VARIABLE);
    }
    return new DirectEndpoint(servers, token != null ? token : () -> TokenSource.ofFile(file));
  }

  private static Optional<Json> in(Path folder) {
    try {
      Path file = folder.resolve(SessionFile.NAME);
      if (!ours(folder) || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
        return Optional.empty();
      }
      if (Files.size(file) > MAX_SIZE) {
        return Optional.empty();
      }
      Json session = Json.parse(Files.readString(file));
      return ProcessHandle.of(session.number("pid"))
          .filter(ProcessHandle::isAlive)
          .map(_ -> session);
    } catch (IOException e) {
      return Optional.empty(); // the session is ending
    }
  }

  private static boolean ours(Path folder) throws IOException {
    PosixFileAttributes attributes =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    Set<PosixFilePermission> permissions = attributes.permissions();
    return attributes.isDirectory()
        && attributes.owner().getName().equals(System.getProperty("user.name"))
        && permissions.stream().allMatch(permission -> permission.name().startsWith("OWNER_"));
  }
}
