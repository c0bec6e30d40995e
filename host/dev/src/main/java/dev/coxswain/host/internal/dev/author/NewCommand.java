// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import dev.coxswain.archetype.internal.ApiTemplate;
import dev.coxswain.archetype.internal.ProjectTemplate;
import dev.coxswain.archetype.internal.TemplateFiles;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code coxswain new}: a project with a controller, a test and all that it needs to be built. */
public final class NewCommand implements AddedCommand {

  private static final Flag API = Flag.of("--api", "KIND[.GROUP[/VERSION]]", "").repeated();
  private static final Flag GRADLE = Flag.alone("--gradle", "");
  private static final Flag KOTLIN = Flag.alone("--kotlin", "");
  private static final Flag PACKAGE = Flag.of("--package", "NAME", "");
  private static final Flag REPOSITORY = Flag.of("--repository", "URL", "");
  private static final Flag NO_JAVADOC = Flag.alone("--no-javadoc", "");

  /** Creates the command; called by the service loader. */
  public NewCommand() {}

  @Override
  public String name() {
    return "new";
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed =
        Arguments.parse(
            arguments,
            List.of(API, AddCommand.WEBHOOK, GRADLE, KOTLIN, PACKAGE, REPOSITORY, NO_JAVADOC));
    if (parsed.words().size() != 1) {
      throw new CommandException("new needs one name: coxswain new order-sync");
    }
    boolean webhook = parsed.on(AddCommand.WEBHOOK);
    if (webhook && !parsed.has(API)) {
      throw new CommandException("--webhook is for the resource of --api, which is missing");
    }
    Path folder = Path.of(parsed.words().getFirst()).toAbsolutePath().normalize();
    String name = String.valueOf(folder.getFileName());
    String javaPackage = parsed.value(PACKAGE, name.replace("-", ""));
    boolean kotlin = parsed.on(KOTLIN);
    boolean gradle = parsed.on(GRADLE);
    Map<String, String> files;
    try {
      ProjectTemplate project = ProjectTemplate.of(name, javaPackage, kotlin, gradle);
      List<ApiTemplate> apis =
          parsed.all(API).stream()
              .map(api -> ApiTemplate.of(api, name, javaPackage, kotlin))
              .toList();
      files = apis.isEmpty() ? project.files() : project.files(apis, webhook);
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
    try {
      if (Files.exists(folder) && !isEmpty(folder)) {
        throw new HostException(folder + " exists and is not empty");
      }
      TemplateFiles.write(folder, files, StandardOpenOption.CREATE_NEW);
      boolean own = !parsed.has(REPOSITORY);
      String repository =
          own ? MavenRepository.ofThisCopy().toUri().toString() : parsed.value(REPOSITORY, "");
      TemplateFiles.write(folder, gradle ? ofGradle(repository) : ofMaven(repository));
      System.out.printf(
          "%s is written. Next:%n%n  cd %s%n%s", folder, folder, AddCommand.build(gradle));
      if (own && !parsed.on(NO_JAVADOC)) {
        System.out.flush();
        MavenRepository.addJavadoc(line -> System.err.println("coxswain: " + line));
      }
    } catch (IOException e) {
      throw new HostException("the project cannot be written: " + e, e);
    }
    return CommandLine.OK;
  }

  /** What belongs to this machine: the repository. */
  private static Map<String, String> ofMaven(String repository) {
    return Map.of(".mvn/maven.config", "-Dcoxswain.repository=" + repository + "\n");
  }

  /** The same, and the JDK, which Gradle looks for only in some places. */
  private static Map<String, String> ofGradle(String repository) {
    return Map.of(
        "gradle.properties",
        "coxswain.repository=%s\norg.gradle.java.installations.paths=%s\n"
            .formatted(repository, System.getProperty("java.home")));
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }
}
