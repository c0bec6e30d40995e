// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.cli.WarmUpCommand;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.logging.LoggingSetup;
import dev.coxswain.host.internal.webhooks.TrainingCertificate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The training run of {@code coxswain warm-up}, in a JVM that writes the start cache: a development
 * session in one process, with a client that sends typical requests.
 */
public final class TrainCommand implements AddedCommand {

  /** Two, so that they send requests to each other and share a limiter. */
  private static final int REPLICAS = 2;

  private static final String FOLDER_PREFIX = "coxswain-warm-up-";

  @Override
  public String name() {
    return CommandLine.TRAIN;
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed =
        Arguments.parse(arguments, List.of(WarmUpCommand.CERTIFICATE, StallLimit.FLAG))
            .noWords("coxswain --help");
    String certificate = parsed.value(WarmUpCommand.CERTIFICATE);
    if (certificate == null) {
      throw new HostException("a training run needs the folder of its certificate");
    }
    LoggingSetup.apply(
        new Logging(Logging.Format.TEXT, Logging.Level.WARN, Map.of()), LoggingSetup.Target.STDERR);
    // The class loader of this class has the examples.
    Thread.currentThread().setContextClassLoader(TrainCommand.class.getClassLoader());
    run(Path.of(certificate), StallLimit.of(parsed));
    return CommandLine.OK;
  }

  /**
   * Runs the session once, and returns when it has stopped.
   *
   * @param certificate the folder of a {@link TrainingCertificate}, for the API server and the
   *     webhooks
   * @param limit how long each step may take
   */
  private static void run(Path certificate, StallLimit limit) throws HostException {
    @Nullable Path folder = null;
    try (DevApiServer api = DevApiServer.start(0, null, false, limit);
        TlsRelay relay = TlsRelay.start(api.url(), certificate, limit)) {
      Manifests.install(api, true, List.of());
      folder = Files.createTempDirectory(FOLDER_PREFIX);
      Path kubeconfig =
          DevToken.write(folder.resolve("kubeconfig"), relay.kubeconfig(api.kubeconfig()));
      DevToken token = DevToken.make(folder);
      ReplicaSettings settings = ReplicaSettings.find(REPLICAS, true, token);
      List<Host> hosts = new ArrayList<>();
      try {
        for (int i = 0; i < REPLICAS; i++) {
          Host host =
              RunCommand.host(
                  ConfigurationLoader.load(null, Map.of(), settings(settings.of(i), certificate))
                      .withKubernetes(new CoxswainConfiguration.Kubernetes(kubeconfig.toString())));
          hosts.add(host);
          limit.await("the start of a replica of the training run", host.start());
        }
        for (Host host : hosts) {
          limit.await("a replica of the training run", host.ready());
        }
        new TrainingCalls(token.value(), hosts.stream().map(Host::report).toList(), limit).run();
      } finally {
        for (Host host : hosts) {
          stop(host, limit);
        }
      }
    } catch (HostException e) {
      throw e;
    } catch (Exception e) {
      // The future fails with the original exception.
      throw new HostException("the training run failed: " + e, e);
    } finally {
      if (folder != null) {
        DevSession.delete(folder);
      }
    }
  }

  private static List<String> settings(List<String> ofReplica, Path certificate) {
    List<String> all = new ArrayList<>(ofReplica);
    all.add("webhooks.tls.certificate=" + certificate.resolve(TrainingCertificate.CERTIFICATE));
    all.add("webhooks.tls.key=" + certificate.resolve(TrainingCertificate.KEY));
    all.add("webhooks.tls.authority=" + certificate.resolve(TrainingCertificate.AUTHORITY));
    return all;
  }

  private static void stop(Host host, StallLimit limit) {
    try {
      host.stop().await(limit.length().toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LoggerFactory.getLogger(TrainCommand.class) // not before the logging is set up
          .atWarn()
          .setCause(e)
          .log("replica of the training run did not stop in time");
    }
  }
}
