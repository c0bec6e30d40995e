// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.maven.internal;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.maven.execution.MavenSession;
import org.apache.maven.model.Build;
import org.apache.maven.plugin.AbstractMojo;
import org.apache.maven.plugin.MojoExecution;
import org.apache.maven.plugin.MojoExecutionException;
import org.apache.maven.plugin.MojoFailureException;
import org.apache.maven.project.MavenProject;
import org.apache.maven.toolchain.Toolchain;
import org.apache.maven.toolchain.ToolchainManager;
import org.eclipse.aether.RepositorySystem;
import org.eclipse.aether.resolution.ArtifactDescriptorException;
import org.eclipse.aether.resolution.DependencyResolutionException;
import org.jspecify.annotations.Nullable;

/**
 * Each goal: runs the command of {@code coxswain} with the arguments of the project, and ends as it does.
 *
 * <p>Thread rule: the thread of the build, which is blocked until the command has ended.
 */
@SuppressWarnings("NullAway.Init") // Maven sets the fields
public final class MavenCommand extends AbstractMojo {

  /** The variable in which the launcher looks for a JDK first. */
  private static final String JAVA = "COXSWAIN_JAVA_HOME";

  /** Where "coxswain dev" finds them, below a folder with the name of the project. */
  private static final String DEFINITIONS = "src/main/resources/coxswain/dev/";

  private static final int JAVA_NEEDED = 25;
  private static final long END_SECONDS = 30;

  private MavenSession session;
  private MojoExecution execution;
  private @Nullable String name;
  private @Nullable String args;
  private RepositorySystem repositories;
  private ToolchainManager toolchains;

  /** Creates the goal; called by Maven. */
  public MavenCommand() {}

  @Override
  public void execute() throws MojoExecutionException, MojoFailureException {
    MavenProject project = session.getCurrentProject();
    if (project.getPackaging().equals("pom")) {
      getLog().info("nothing to do for the packaging pom");
      return;
    }
    List<String> command = new ArrayList<>(List.of("sh", launcher(project).toString()));
    command.addAll(arguments(project));
    if (args != null && !args.isBlank()) {
      command.addAll(List.of(args.strip().split("\\s+")));
    }
    ProcessBuilder process =
        new ProcessBuilder(command).directory(project.getBasedir()).inheritIO();
    javaHome().ifPresent(home -> process.environment().putIfAbsent(JAVA, home));
    int code = run(process);
    if (code != 0) {
      throw new MojoFailureException(
          "coxswain %s ended with exit code %d".formatted(execution.getGoal(), code));
    }
  }

  private Path launcher(MavenProject project) throws MojoExecutionException {
    String version = execution.getVersion();
    Path local = session.getRepositorySession().getLocalRepository().getBasedir().toPath();
    Path folder =
        local.resolve("dev/coxswain/coxswain-maven-plugin").resolve(version).resolve("coxswain");
    RuntimeJars artifacts =
        new RuntimeJars(
            repositories,
            session.getRepositorySession(),
            project.getRemotePluginRepositories(),
            version);
    try {
      return InstalledCopy.write(
          artifacts.of(InstalledCopy.HOST),
          artifacts.of(InstalledCopy.DEVELOPMENT),
          artifacts.billOfMaterials(),
          folder);
    } catch (ArtifactDescriptorException | DependencyResolutionException e) {
      throw new MojoExecutionException("the artifacts of Coxswain: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new MojoExecutionException("the copy of Coxswain in " + folder + ": " + e, e);
    }
  }

  /** Returns the command and what it has from the project. */
  private List<String> arguments(MavenProject project) {
    String goal = execution.getGoal();
    Build build = project.getBuild();
    List<String> classes = new ArrayList<>(List.of(build.getOutputDirectory()));
    List<String> jars =
        new ArrayList<>(
            List.of(build.getDirectory() + File.separator + build.getFinalName() + ".jar"));
    List<String> libraries = libraries(project);
    classes.addAll(libraries);
    jars.addAll(libraries);
    return switch (goal) {
      case "dev" -> List.of(goal, "--plugin", String.join(File.pathSeparator, classes));
      case "crds" ->
          command(
              List.of("crd", "generate", "--output", DEFINITIONS + project.getArtifactId()),
              "--classes=",
              classes);
      case "rbac" -> command(List.of(goal, "generate"), "--classes=", classes);
      default ->
          command(name == null ? List.of(goal) : List.of(goal, "--name=" + name), "--jar=", jars);
    };
  }

  private static List<String> command(List<String> command, String flag, List<String> paths) {
    return Stream.concat(command.stream(), paths.stream().map(flag::concat)).toList();
  }

  /** Returns the jars that the controllers need besides Coxswain, which they have in the scope provided. */
  private static List<String> libraries(MavenProject project) {
    return project.getArtifacts().stream()
        .filter(artifact -> List.of("compile", "runtime").contains(artifact.getScope()))
        .map(artifact -> artifact.getFile().toString())
        .toList();
  }

  /** Returns the JDK of the build, or nothing: the launcher finds one as it does in a clone. */
  private Optional<String> javaHome() {
    Toolchain toolchain = toolchains.getToolchainFromBuildContext("jdk", session);
    String java = toolchain == null ? null : toolchain.findTool("java");
    if (java != null) {
      return Optional.of(Path.of(java).resolve("../..").normalize().toString());
    }
    return Runtime.version().feature() >= JAVA_NEEDED
        ? Optional.of(System.getProperty("java.home"))
        : Optional.empty();
  }

  /** Runs a process, which ends with this one. */
  private static int run(ProcessBuilder builder) throws MojoExecutionException {
    try {
      Process process = builder.start();
      Thread end = new Thread(() -> end(process), "end");
      Runtime.getRuntime().addShutdownHook(end);
      int code = process.waitFor();
      try {
        Runtime.getRuntime().removeShutdownHook(end);
        return code;
      } catch (IllegalStateException e) {
        return 0; // Maven ends itself, such as by Ctrl-C, which is no failure of the command
      }
    } catch (IOException e) {
      throw new MojoExecutionException("coxswain cannot be started: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new MojoExecutionException("interrupted", e);
    }
  }

  private static void end(Process process) {
    process.destroy();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
    }
  }
}
