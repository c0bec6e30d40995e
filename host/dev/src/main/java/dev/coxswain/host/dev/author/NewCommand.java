// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev.author;

import dev.coxswain.ctl.cli.Arguments;
import dev.coxswain.ctl.cli.CommandException;
import dev.coxswain.ctl.cli.Flag;
import dev.coxswain.host.cli.AddedCommand;
import dev.coxswain.host.cli.CommandLine;
import dev.coxswain.host.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code coxswain new}: a project with a controller, a test and all that it needs to be built. */
public final class NewCommand implements AddedCommand {

  private static final Flag PACKAGE = Flag.of("--package", "NAME", "");
  private static final Flag REPOSITORY = Flag.of("--repository", "URL", "");
  private static final Pattern NAME = Pattern.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern JAVA_PACKAGE =
      Pattern.compile("[a-z_][a-z0-9_]*(\\.[a-z_][a-z0-9_]*)*");

  /** Creates the command; called by the service loader. */
  public NewCommand() {}

  @Override
  public String name() {
    return "new";
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed = Arguments.parse(arguments, List.of(PACKAGE, REPOSITORY));
    if (parsed.words().size() != 1) {
      throw new CommandException("new needs one name: coxswain new order-sync");
    }
    Path folder = Path.of(parsed.words().getFirst()).toAbsolutePath().normalize();
    String name = String.valueOf(folder.getFileName());
    if (!NAME.matcher(name).matches()) {
      throw new CommandException(
          "\"%s\" cannot be the name of a controller: use small letters, digits and -"
              .formatted(name));
    }
    String javaPackage = parsed.value(PACKAGE, name.replace("-", ""));
    if (!JAVA_PACKAGE.matcher(javaPackage).matches()) {
      throw new CommandException("\"" + javaPackage + "\" is no name of a package; set --package");
    }
    try {
      if (Files.exists(folder) && !isEmpty(folder)) {
        throw new HostException(folder + " exists and is not empty");
      }
      new ProjectTemplate(name, javaPackage).write(folder);
      String repository = parsed.value(REPOSITORY);
      if (repository == null) {
        Path own = ownRepository();
        MavenRepository.write(own);
        repository = own.toUri().toString();
      }
      Path config = folder.resolve(".mvn/maven.config");
      Files.createDirectories(config.getParent());
      Files.writeString(config, "-Dcoxswain.repository=" + repository + "\n");
    } catch (IOException e) {
      throw new HostException("the project cannot be written: " + e, e);
    }
    System.out.printf(
        "%s is written. Next:%n%n  cd %s%n  mvn -q package%n  coxswain dev --plugin target/classes%n",
        folder, folder);
    return CommandLine.OK;
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  /** Beside the jars of this copy, or in the home of the user where that is read-only. */
  private static Path ownRepository() {
    Path jar =
        Path.of(NewCommand.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    Path beside = jar.resolveSibling("../repository").normalize();
    return Files.isWritable(beside.getParent())
        ? beside
        : Path.of(System.getProperty("user.home"), ".coxswain", "repository");
  }
}
