// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.cli.Shutdown;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.logging.LoggingSetup;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** {@code coxswain dev}: a development session on this machine. */
public final class DevCommand implements AddedCommand {

  private static final Flag PORTS = Flag.of("--ports", "auto", "");
  private static final Flag REPLICAS = Flag.of("--replicas", "N", "");
  private static final Flag SLOTS_BY = Flag.of("--slots-by", "key|namespace", "");
  private static final Flag DATA = Flag.of("--data", "FOLDER", "");
  private static final Flag SHARDED = Flag.alone("--sharded-list-and-watch", "");
  private static final Flag PLUGIN = Flag.of("--plugin", "PATH", "").repeated();
  private static final Flag EXAMPLES = Flag.alone("--examples", "");
  private static final Flag JSON = Flag.alone("--json", "");
  private static final List<Flag> FLAGS =
      List.of(
          PORTS,
          REPLICAS,
          SLOTS_BY,
          RunCommand.CONFIG,
          RunCommand.SET,
          DATA,
          SHARDED,
          PLUGIN,
          EXAMPLES,
          StallLimit.FLAG,
          JSON);

  @Override
  public String name() {
    return "dev";
  }

  @Override
  public int run(List<String> arguments) throws HostException, ConfigurationException {
    long startedAt = System.nanoTime();
    Arguments parsed = Arguments.parse(arguments, FLAGS).noWords("coxswain dev --help");
    DevOptions options = options(parsed);
    DevSession session =
        new DevSession(
            options, line -> System.err.println("coxswain: " + line), System.err::println);
    Shutdown shutdown =
        Shutdown.install(() -> {
          session.stop();
          return CommandLine.OK;
        });
    LoggingSetup.apply(
        new Logging(Logging.Format.TEXT, Logging.Level.WARN, Map.of()), LoggingSetup.Target.STDERR);
    try {
      DevSession.Report report = session.start();
      session.watch(() ->
          // Not on the thread of the callback: the exit waits for the hook.
          Thread.ofPlatform()
              .name("end")
              .start(() -> {
                session.stop();
                System.exit(shutdown.ended(CommandLine.FAILED));
              }));
      print(report, parsed.on(JSON), System.nanoTime() - startedAt);
      return CommandLine.STILL_RUNNING;
    } catch (HostException e) {
      if (shutdown.begun()) {
        return CommandLine.STILL_RUNNING; // stopped during the start; the hook does the rest
      }
      session.stop();
      if (!session.explained()) {
        CommandLine.printFailure(e);
      }
      return shutdown.ended(CommandLine.FAILED);
    }
  }

  private static DevOptions options(Arguments parsed) throws ConfigurationException {
    String ports = parsed.value(PORTS);
    if (ports != null && !ports.equals("auto")) {
      throw new CommandException(
          "flag --ports takes only \"auto\"; single ports are set with --set admin.port=N,"
              + " metrics.port and health.port");
    }
    int count = (int) parsed.number(REPLICAS, 1, 1, DevOptions.MAX_REPLICAS);
    String config = parsed.value(RunCommand.CONFIG);
    String data = parsed.value(DATA);
    List<String> settings = new ArrayList<>();
    String slotsBy = parsed.value(SLOTS_BY);
    if (slotsBy != null) {
      if (Stream.of(SlotDivision.values()).noneMatch(one -> one.label().equals(slotsBy))) {
        throw new CommandException(
            "flag --slots-by: expected key or namespace, found \"" + slotsBy + "\"");
      }
      settings.add("membership.slotsBy=" + slotsBy);
    }
    settings.addAll(parsed.all(RunCommand.SET));
    List<PluginSource> plugins = parsed.all(PLUGIN).stream().map(PluginSource::parse).toList();
    if (plugins.stream().map(PluginSource::name).distinct().count() < plugins.size()) {
      throw new CommandException(
          "flag --plugin: two of them have the same name; paths of one plug-in are joined by \""
              + File.pathSeparator
              + "\"");
    }
    // Reports faults once, not from every replica.
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            config == null ? null : Path.of(config),
            System.getenv(),
            DevSession.settings(count, settings));
    if (!plugins.isEmpty() && configuration.plugins().directory() != null) {
      throw new CommandException(
          "flag --plugin: plugins.directory is set as well; use one of them, a folder of jars can be"
              + " given to --plugin");
    }
    return new DevOptions(
        count,
        ports != null,
        config == null ? null : Path.of(config).toAbsolutePath().toString(),
        settings,
        configuration.admin().auth().mode() == null,
        plugins,
        parsed.on(EXAMPLES) || (plugins.isEmpty() && !Manifests.haveOwnControllers()),
        List.of(),
        data == null ? null : Path.of(data).toAbsolutePath(),
        parsed.on(SHARDED),
        StallLimit.of(parsed));
  }

  private static void print(DevSession.Report report, boolean json, long tookNanos) {
    if (json) {
      try {
        System.out.println(new ObjectMapper().writeValueAsString(report));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("a report of plain values is always writable", e);
      }
      return;
    }
    StringBuilder text = new StringBuilder("\nCoxswain is ready after ");
    text.append(TimeUnit.NANOSECONDS.toMillis(tookNanos)).append(" ms.\n\n");
    line(text, "API server", report.apiServer());
    for (ReplicaReport replica : report.replicas()) {
      text.append("  ").append(replica.name()).append(", pid ").append(replica.pid()).append('\n');
      line(text, "  dashboard", replica.admin() + "/dashboard/" + fragment(report.adminToken()));
      line(text, "  admin API", replica.admin() + "/api/v1/controllers");
      line(text, "  metrics", replica.metrics() + "/metrics");
      line(text, "  probes", replica.health() + "/readyz?verbose");
      if (!replica.limiter().isEmpty()) {
        line(text, "  limiter", replica.limiter());
      }
    }
    if (report.replicas().size() > 1) {
      text.append(
          "\nThe replicas share one limiter; kill -9 one of them to see the others continue.\n");
    }
    text.append("\nexport KUBECONFIG=").append(report.kubeconfig());
    if (!report.adminToken().isEmpty()) {
      text.append(" ADMIN_TOKEN=").append(report.adminToken());
    }
    text.append('\n');
    text.append("\nCtrl-C stops everything.\n");
    System.out.println(text);
  }

  /** Returns the part of the link that signs the user in; browsers do not send the part after #. */
  private static String fragment(String token) {
    return token.isEmpty() ? "" : "#token=" + token;
  }

  private static void line(StringBuilder text, String what, String where) {
    text.append("  ").append(String.format("%-14s", what)).append(where).append('\n');
  }
}
