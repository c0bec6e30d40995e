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
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.SourceVersion;

/** {@code coxswain new}: a project with a controller, a test and all that it needs to be built. */
public final class NewCommand implements AddedCommand {

  private static final Flag PACKAGE = Flag.of("--package", "NAME", "");
  private static final Flag REPOSITORY = Flag.of("--repository", "URL", "");
  private static final Pattern NAME = Pattern.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?");

  /** Names of classes that the template uses, with which its own must not be mixed up. */
  private static final Set<String> USED =
      Set.of(
          "Controller",
          "ControllerDefinition",
          "ControllerEnvironment",
          "EmbeddedApiServer",
          "Kubernetes",
          "Map",
          "Override",
          "Request",
          "Resource",
          "Result",
          "String",
          "Test");

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
    if (!SourceVersion.isName(javaPackage)) {
      throw new CommandException("\"" + javaPackage + "\" is no name of a package; set --package");
    }
    ProjectTemplate project = new ProjectTemplate(name, javaPackage);
    if (USED.contains(project.className())) {
      throw new CommandException(
          "the class of \"%s\" would be %s, which the project needs from elsewhere; use another name"
              .formatted(name, project.className()));
    }
    try {
      if (Files.exists(folder) && !isEmpty(folder)) {
        throw new HostException(folder + " exists and is not empty");
      }
      project.write(folder);
      String repository = parsed.value(REPOSITORY);
      if (repository == null) {
        repository = MavenRepository.ofThisCopy().toUri().toString();
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
}
