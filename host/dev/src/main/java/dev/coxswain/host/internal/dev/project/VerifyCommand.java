// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.cli.Shutdown;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.dev.author.AuthorClasses;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.host.internal.dev.author.CrdCommand;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code coxswain verify}: runs an author's controllers with the rights of their chart, and nothing more. */
public final class VerifyCommand implements AddedCommand {

  private static final Flag OBJECTS = Flag.of("--objects", "PATH", "");
  private static final Flag RULES = Flag.of("--rules", "FILE", "");
  private static final Flag TIMEOUT = Flag.of("--timeout", "DURATION", "");
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(60);
  private static final List<Flag> FLAGS =
      List.of(
          ProjectJars.JAR,
          ProjectJars.NAME,
          ProjectJars.VERSION,
          BundleCommand.NAMESPACE,
          OBJECTS,
          RULES,
          TIMEOUT,
          RunCommand.CONFIG,
          RunCommand.SET);

  /** Creates the command; called by the service loader. */
  public VerifyCommand() {}

  @Override
  public String name() {
    return "verify";
  }

  @Override
  public int run(List<String> arguments) throws HostException, ConfigurationException {
    long started = System.nanoTime();
    Arguments parsed = Arguments.parse(arguments, FLAGS).noWords("coxswain verify --help");
    Duration timeout = parsed.duration(TIMEOUT, DEFAULT_TIMEOUT);
    StallLimit limit = new StallLimit(timeout);
    SourceTree tree = SourceTree.find(name(), limit);
    ProjectJars project = ProjectJars.of(parsed);
    BundleCommand.requireBundle(project);
    project.requireNoneOf(tree);
    CoxswainConfiguration configuration = AuthorRights.configuration(parsed);
    if (!configuration.kubernetes().clusters().isEmpty()) {
      throw new CommandException(
          "verify runs controllers against an API server in memory alone, and the configuration has kubernetes.clusters, which they would write to: leave it out");
    }
    try (AuthorClasses classes = AuthorClasses.of(project.jars())) {
      List<JsonObject> definitions = CrdCommand.accepted(classes.customResources());
      VerifyPlan plan =
          new VerifyPlan(
              project,
              namespace(parsed, project),
              definitions,
              AuthorRights.of(classes, configuration, limit),
              rules(parsed.value(RULES)),
              ExampleFiles.of(parsed.value(OBJECTS), project.jars()),
              passedOn(parsed));
      ProjectManifests manifests =
          ProjectManifests.of(
              tree.manifests(), project, plan.namespace(), plan.rights(), plan.granted());
      return verify(plan, manifests, started, started + timeout.toNanos());
    } catch (IOException e) {
      throw new HostException("the project cannot be verified: " + e, e);
    } catch (IllegalArgumentException e) {
      throw new HostException(String.valueOf(e.getMessage()), e);
    }
  }

  private static int verify(
      VerifyPlan plan, ProjectManifests manifests, long started, long deadline)
      throws HostException, IOException {
    VerifyReport report = new VerifyReport(System.out);
    VerifyRun run = new VerifyRun(plan, manifests, report, deadline);
    Shutdown shutdown =
        Shutdown.install(() -> {
          run.close();
          return CommandLine.FAILED;
        });
    try (run) {
      run.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HostException("interrupted", e);
    } catch (HostException | IOException e) {
      if (shutdown.begun()) {
        return CommandLine.STILL_RUNNING; // stopped by a signal; the hook does the rest
      }
      shutdown.ended(CommandLine.FAILED);
      throw e;
    }
    boolean verified = report.end(Duration.ofNanos(System.nanoTime() - started));
    return shutdown.ended(verified ? CommandLine.OK : CommandLine.FAILED);
  }

  /**
   * Not the namespace of the objects: there the host itself may create ConfigMaps, and nothing would show that the
   * controllers may not.
   */
  private static String namespace(Arguments parsed, ProjectJars project) {
    return parsed.has(BundleCommand.NAMESPACE)
        ? BundleCommand.namespace(parsed)
        : project.shortName() + "-system";
  }

  private static @Nullable JsonArray rules(@Nullable String file) throws IOException {
    if (file == null) {
      return null;
    }
    if (!Files.isRegularFile(Path.of(file))) {
      throw new CommandException("there is no file " + file);
    }
    try {
      return RightsCheck.rules(file, Files.readString(Path.of(file)));
    } catch (CharacterCodingException e) {
      throw new CommandException(file + " is no YAML: it is not a text in UTF-8");
    }
  }

  /** Returns the configuration of the author for the replica. */
  private static List<String> passedOn(Arguments parsed) {
    List<String> all = new ArrayList<>();
    String config = parsed.value(RunCommand.CONFIG);
    if (config != null) {
      all.addAll(List.of(RunCommand.CONFIG.name(), Path.of(config).toAbsolutePath().toString()));
    }
    for (String setting : parsed.all(RunCommand.SET)) {
      all.addAll(List.of(RunCommand.SET.name(), setting));
    }
    return all;
  }
}
