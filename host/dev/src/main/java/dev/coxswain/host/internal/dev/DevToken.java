// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.admin.auth.Role;
import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.host.internal.cli.FileRun;
import dev.coxswain.host.internal.config.AdminTokens;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The token for the admin API of a development session: random, in a file that only its owner can
 * read. Replicas receive its hash in a file as well, because other users of the machine can read
 * arguments of processes.
 *
 * @param value the token
 * @param file the file of the token
 * @param list the token file of the replicas
 */
public record DevToken(String value, Path file, Path list) {

  private static final int BYTES = 32;

  /** Makes a token and its files. */
  public static DevToken make(Path folder) throws IOException {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    String value = HexFormat.of().formatHex(random);
    Path file = write(folder.resolve(FileRun.TOKEN), value + "\n");
    Path list =
        write(
            folder.resolve(FileRun.TOKENS),
            """
            apiVersion: %s
            kind: %s
            principals:
            - {name: dev, tokenHashes: ["%s"], roles: [%s]}
            """
                .formatted(
                    CoxswainConfiguration.API_VERSION,
                    AdminTokens.KIND,
                    StaticAccess.hash(value),
                    Role.ADMIN.label()));
    return new DevToken(value, file, list);
  }

  /** Writes a file that only its owner can read. */
  public static Path write(Path file, String text) throws IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, text);
  }

  /** Returns a text without the token. */
  @Override
  public String toString() {
    return "DevToken[" + file + "]";
  }
}
