// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.cli.Shutdown;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.dev.project.BundleCommand;
import dev.coxswain.host.internal.dev.project.ChartFile;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.logging.LoggingSetup;
import dev.coxswain.k8s.client.ApiStatusException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** {@code coxswain pods}: runs the pods of an author's chart as processes of this machine. */
public final class PodsCommand implements AddedCommand {

  private static final Flag CHART = Flag.of("--chart", "FILE", "");
  private static final Flag IMAGE = Flag.of("--image", "FILE", "");
  private static final Flag REPLICAS = Flag.of("--replicas", "N", "");
  private static final Flag KUBECONFIG = Flag.of("--kubeconfig", "FILE", "");
  private static final List<Flag> FLAGS =
      List.of(
          CHART,
          IMAGE,
          REPLICAS,
          BundleCommand.NAMESPACE,
          KUBECONFIG,
          RunCommand.SET,
          StallLimit.FLAG);
  private static final String CHART_END = "-chart.tgz";
  private static final String IMAGE_END = "-image.tar";
  private static final int DEFAULT_REPLICAS = 3;

  /** What the chart installs into a namespace, which may have been there before. */
  private static final String INSTALLED =
      "deployments,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets,networkpolicies";

  /** Creates the command; called by the service loader. */
  public PodsCommand() {}

  @Override
  public String name() {
    return "pods";
  }

  @Override
  public int run(List<String> arguments) throws HostException, ConfigurationException {
    long started = System.nanoTime();
    Arguments parsed = Arguments.parse(arguments, FLAGS).noWords("coxswain pods --help");
    SourceTree tree = SourceTree.find(name(), StallLimit.of(parsed));
    PodsOptions options = options(parsed);
    LoggingSetup.apply(
        new Logging(Logging.Format.TEXT, Logging.Level.WARN, Map.of()), LoggingSetup.Target.STDERR);
    PodsRun run = new PodsRun(options, tree, line -> System.err.println("coxswain: " + line));
    Shutdown shutdown =
        Shutdown.install(() -> {
          run.close();
          return CommandLine.OK;
        });
    try {
      PodsRun.Report report = run.start();
      if (report != null) {
        print(report, options, System.nanoTime() - started);
      }
      return CommandLine.STILL_RUNNING;
    } catch (HostException | IOException | InterruptedException | RuntimeException e) {
      if (shutdown.begun()) {
        return CommandLine.STILL_RUNNING; // stopped by a signal; the hook does the rest
      }
      run.close();
      shutdown.ended(CommandLine.FAILED); // otherwise the hook would end with the code of a stop
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      if (e instanceof HostException own) {
        throw own;
      }
      if (e instanceof RuntimeException bug && !(e instanceof ApiStatusException)) {
        throw bug;
      }
      throw new HostException("the pods cannot be started: " + e.getMessage(), e);
    }
  }

  private static PodsOptions options(Arguments parsed)
      throws HostException, ConfigurationException {
    // Reports faults once, not from every pod again and again.
    ConfigurationLoader.load(null, Map.of(), parsed.all(RunCommand.SET));
    try {
      Path chart = file(parsed, CHART, CHART_END, "coxswain chart");
      Path image = file(parsed, IMAGE, IMAGE_END, "coxswain image");
      String kubeconfig = parsed.value(KUBECONFIG);
      List<String> settings = new ArrayList<>();
      for (String setting : parsed.all(RunCommand.SET)) {
        settings.addAll(List.of(RunCommand.SET.name(), setting));
      }
      String name = String.valueOf(chart.getFileName());
      return new PodsOptions(
          chart,
          image,
          (int) parsed.number(REPLICAS, DEFAULT_REPLICAS, 1, PodsOptions.MAX_REPLICAS),
          parsed.has(BundleCommand.NAMESPACE) ? BundleCommand.namespace(parsed) : "",
          kubeconfig == null ? null : existing(KUBECONFIG, kubeconfig),
          chart.resolveSibling(name.replaceFirst("(-chart)?\\.tgz$", "") + "-pods"),
          settings);
    } catch (IOException e) {
      throw new HostException("a folder cannot be read: " + e.getMessage(), e);
    }
  }

  /** Returns the file of a flag, or the only one in this project. */
  private static Path file(Arguments parsed, Flag flag, String end, String made)
      throws IOException {
    String given = parsed.value(flag);
    if (given != null) {
      return existing(flag, given);
    }
    List<Path> found = new ArrayList<>();
    for (String place : BundleCommand.PLACES) {
      if (Files.isDirectory(Path.of(place))) {
        try (Stream<Path> files = Files.list(Path.of(place))) {
          files.filter(file -> file.toString().endsWith(end)).sorted().forEach(found::add);
        }
      }
    }
    if (found.size() == 1) {
      return found.getFirst().toAbsolutePath();
    }
    throw new CommandException(
        found.isEmpty()
            ? "no file *%s is in %s: \"%s\" makes it, or name it with %s"
                .formatted(end, String.join(" or ", BundleCommand.PLACES), made, flag.name())
            : "there are several, name one with %s: %s".formatted(flag.name(), found));
  }

  private static Path existing(Flag flag, String file) {
    if (!Files.isRegularFile(Path.of(file))) {
      throw new CommandException(flag.name() + ": there is no file " + file);
    }
    return Path.of(file).toAbsolutePath();
  }

  private static void print(PodsRun.Report report, PodsOptions options, long nanos) {
    StringBuilder text = new StringBuilder();
    text.append(
        "\n%s of %s ready after %.1f s.\n\n"
            .formatted(
                report.pods().size() == 1 ? "1 pod" : report.pods().size() + " pods",
                report.chart().reference() + (report.pods().size() == 1 ? " is" : " are"),
                nanos / 1e9));
    line(
        text,
        "API server",
        report.cluster().address() + ", namespace " + report.cluster().namespace());
    for (LocalPod pod : report.pods()) {
      text.append("  %s, pid %d%n".formatted(pod.name(), pod.pid()));
      line(text, "  dashboard", PodsRun.admin(pod) + "/dashboard/#token=" + report.token().value());
      line(text, "  log", pod.log().toString());
    }
    text.append(
        report.pods().size() == 1
            ? "\nkill it, or delete its pod, and it is started again.\n"
            : "\nkill one of them, or delete its pod, to see the others continue; it is started again.\n");
    text.append(
        "\nexport KUBECONFIG=%s ADMIN_TOKEN=%s%n"
            .formatted(word(report.cluster().kubeconfig()), report.token().value()));
    if (options.kubeconfig() != null) {
      // Beside the kubeconfig of a session, coxswain ctl finds both.
      text.append(
          "export COXSWAIN_SERVER=%s COXSWAIN_TOKEN_FILE=%s%n"
              .formatted(PodsRun.admin(report.pods().getFirst()), report.token().file()));
    }
    text.append("\nCtrl-C stops everything.");
    if (options.kubeconfig() != null) {
      text.append(" The objects of the chart stay; they go with:\n\n");
      text.append(uninstall(report.chart(), report.cluster().namespace(), report.ownNamespace()));
    }
    System.out.println(text);
  }

  /** Returns the commands that delete the objects of a chart in a cluster of others. */
  static String uninstall(ChartFile chart, String namespace, boolean ownNamespace) {
    String selector = " -l app.kubernetes.io/instance=" + chart.name();
    return "kubectl delete clusterroles,clusterrolebindings%s%n".formatted(selector)
        + (ownNamespace
            ? "kubectl delete namespace %s%n".formatted(namespace)
            : "kubectl delete %s --namespace %s%s%n".formatted(INSTALLED, namespace, selector));
  }

  /** Returns a path as one word of a shell. */
  private static String word(Path path) {
    String text = path.toString();
    return text.matches("[\\w/.+@%=,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  private static void line(StringBuilder text, String what, String where) {
    text.append("  ").append(String.format("%-14s", what)).append(where).append('\n');
  }
}
