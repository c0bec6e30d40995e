// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.FileRun;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The part of {@code coxswain run FILE.java} that is not in production: compiles the file, and makes a
 * token for the admin API. The host itself runs without these jars.
 */
public final class FileCommand implements AddedCommand {

  @Override
  public String name() {
    return CommandLine.PREPARE_FILE;
  }

  /**
   * Prepares a folder.
   *
   * @param arguments the source file, and the folder of {@link FileRun}
   */
  @Override
  public int run(List<String> arguments) throws HostException {
    Path source = Path.of(arguments.get(0));
    Path folder = Path.of(arguments.get(1));
    try {
      SessionOwner.write(folder);
      SessionOwner.deleteAbandoned(folder.toAbsolutePath().getParent(), DevSession::delete);
      FileCompiler.compile(source, folder.resolve(FileRun.CLASSES));
      DevToken.make(folder);
    } catch (IOException e) {
      throw new HostException("%s cannot be compiled: %s".formatted(source.getFileName(), e), e);
    }
    return CommandLine.OK;
  }
}
