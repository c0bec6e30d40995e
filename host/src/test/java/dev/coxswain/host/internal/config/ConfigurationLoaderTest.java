// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationLoaderTest {

  private static final String HEADER =
      "apiVersion: config.coxswain.dev/v1alpha1\nkind: CoxswainConfiguration\n";

  @TempDir private Path folder;

  @Test
  void withoutAFile_everythingHasADefault_andListensOnLoopback() throws Exception {
    CoxswainConfiguration configuration = ConfigurationLoader.load(null, Map.of(), List.of());
    assertThat(configuration.metrics().listener()).isEqualTo(listener(8080));
    assertThat(configuration.health()).isEqualTo(listener(8081));
    assertThat(configuration.exhaustedLimit()).isEqualTo(Duration.ZERO);
    assertThat(configuration.admin().listener()).isEqualTo(listener(8090));
    assertThat(configuration.drainLimit()).isEqualTo(Duration.ofSeconds(30));
    assertThat(configuration.limiters().get("default"))
        .isEqualTo(new CoxswainConfiguration.Limiter(10, 100));
    assertThat(configuration.controller("any").applyTo(ControllerOptions.DEFAULT))
        .isEqualTo(ControllerOptions.DEFAULT);
  }

  @Test
  void printedDefaults_areAcceptedAndChangeNothing() throws Exception {
    Path file = folder.resolve("defaults.yaml");
    try (InputStream defaults =
        ConfigurationLoader.class.getResourceAsStream(
            "/dev/coxswain/host/internal/defaults.yaml")) {
      assertThat(defaults).isNotNull();
      Files.copy(defaults, file);
    }
    assertThat(ConfigurationLoader.load(file, Map.of(), List.of()))
        .isEqualTo(ConfigurationLoader.load(null, Map.of(), List.of()));
  }

  @Test
  void tokensOfScrapers_crossTheNetworkOnlyWithTls() throws Exception {
    String auth = "metrics: {host: 0.0.0.0, auth: {mode: kubernetes}%s}";
    assertThatThrownBy(() -> load(auth.formatted("")))
        .hasMessageContaining("metrics.host")
        .hasMessageContaining("metrics.tls");
    MetricsSettings settings = load(auth.formatted(", tls: {certificate: /c, key: /k}")).metrics();
    assertThat(settings.tls()).isEqualTo(new TlsFiles("/c", "/k"));
    assertThat(settings.auth())
        .isEqualTo(new MetricsSettings.Auth(MetricsSettings.Mode.KUBERNETES, ""));
    assertThat(load("metrics: {auth: {mode: kubernetes}}").metrics().tls()).isNull();
  }

  @Test
  void theAdminApi_usesKubernetes_byDefault() throws Exception {
    AdminSettings settings = load("").admin();
    assertThat(settings.access()).isEqualTo(AccessLevel.FULL);
    assertThat(settings.auth().mode()).isNull();
    assertThat(settings.auth().effectiveMode()).isEqualTo(AdminSettings.Mode.KUBERNETES);
    assertThat(settings.auth().audience()).isEqualTo("coxswain-admin");
    assertThat(settings.tls()).isNull();
    AdminSettings explicit =
        load("""
        admin:
          host: 0.0.0.0
          access: no-destructive
          auth: {mode: tokenFile, tokenFile: /tokens}
          tls: {certificate: /tls/tls.crt, key: /tls/tls.key}
        """)
            .admin();
    assertThat(explicit.access()).isEqualTo(AccessLevel.NO_DESTRUCTIVE);
    assertThat(explicit.auth().effectiveMode()).isEqualTo(AdminSettings.Mode.TOKEN_FILE);
    assertThat(explicit.tls()).isEqualTo(new TlsFiles("/tls/tls.crt", "/tls/tls.key"));
  }

  @Test
  void aControllersSettings_winOverItsAuthorsOptions() throws Exception {
    ControllerSettings settings =
        load("""
        limiters:
          vendor: {rate: 0.5, burst: 3}
        controllers:
          config-mirror:
            enabled: false
            concurrency: 7
            reconcileTimeout: 1m30s
            backoff: {base: 20ms, max: 5s, jitter: 0.5}
            composition: maxOf
            budget: vendor
            failureCooldown: 1s
            fairFlows: true
            agingStep: 0
            ownership: everywhere
            config: {target: [a, b], depth: {n: 3}}
        """)
            .controller("config-mirror");
    ControllerOptions options = settings.applyTo(ControllerOptions.DEFAULT);
    assertThat(settings.enabled()).isFalse();
    assertThat(options.concurrency()).isEqualTo(7);
    assertThat(options.reconcileTimeout()).isEqualTo(Duration.ofSeconds(90));
    assertThat(options.backoff().delayNanos(1)).isBetween(20_000_000L, 30_000_000L);
    assertThat(options.composition()).isEqualTo(Composition.MAX_OF);
    assertThat(options.budget()).isEqualTo("vendor");
    assertThat(options.failureCooldown()).isEqualTo(Duration.ofSeconds(1));
    assertThat(options.fairFlows()).isTrue();
    assertThat(options.agingStep()).isZero();
    assertThat(options.ownership()).isEqualTo(ControllerOptions.Ownership.EVERYWHERE);
    assertThat(settings.config())
        .isEqualTo(Map.of("target", List.of("a", "b"), "depth", Map.of("n", 3)));
  }

  @Test
  void aPartOfABackoff_leavesTheOthersToTheAuthor() throws Exception {
    ControllerOptions author =
        ControllerOptions.DEFAULT.with(
            o -> o.backoff(Backoff.exponential(Duration.ofSeconds(2), Duration.ofHours(1))));
    ControllerSettings settings =
        load("controllers: {demo: {backoff: {max: 3s}}}").controller("demo");
    Backoff backoff = settings.applyTo(author).backoff();
    assertThat(Duration.ofNanos(backoff.delayNanos(1))).isEqualTo(Duration.ofSeconds(2));
    assertThat(Duration.ofNanos(backoff.delayNanos(5))).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void watchedNamespaces_areThoseOfTheHost_unlessTheControllerHasItsOwn() throws Exception {
    CoxswainConfiguration some =
        load(
            """
            kubernetes: {watchNamespaces: [shop, shop, blog]}
            controllers:
              demo: {watchNamespaces: [news]}
              other: {watchNamespaces: [], concurrency: 2}
            """);
    assertThat(some.watchNamespaces("demo", Optional::empty).orElseThrow()).containsExactly("news");
    assertThat(some.watchNamespaces("other", Optional::empty).orElseThrow())
        .containsExactlyInAnyOrder("shop", "blog");
    assertThat(some.watchNamespaces("third", Optional::empty).orElseThrow())
        .containsExactlyInAnyOrder("shop", "blog");
    assertThat(load("").watchNamespaces("demo", Optional::empty).orElseThrow()).isEmpty();
    assertThat(
            ConfigurationLoader.load(
                    null,
                    Map.of("COXSWAIN_KUBERNETES__WATCH_NAMESPACES", "[shop, blog]"),
                    List.of())
                .watchNamespaces("demo", Optional::empty)
                .orElseThrow())
        .containsExactlyInAnyOrder("shop", "blog");
    assertThatThrownBy(() -> load("kubernetes: {watchNamespaces: [" + "a,".repeat(64) + "b]}"))
        .hasMessageContaining("expected a list of at most 64 names of namespaces");
  }

  @Test
  void namespacesByLabels_areInPlaceOfNames_andNeverAllWhenThereAreNone() throws Exception {
    CoxswainConfiguration some =
        load(
            """
            kubernetes: {watchNamespaceSelector: "team=shop,env in (dev,test)"}
            controllers: {demo: {watchNamespaces: [news]}}
            """);
    assertThat(some.watchNamespaces("demo", Optional::empty)).contains(Set.of("news"));
    assertThat(some.watchNamespaces("other", () -> Optional.of(Set.of("a")))).contains(Set.of("a"));
    assertThat(some.watchNamespaces("other", Optional::empty)).isEmpty();
    assertThatThrownBy(() -> load("kubernetes: {watchNamespaceSelector: 'team in shop'}"))
        .hasMessageContaining("expected a label selector, such as team=shop");
    assertThatThrownBy(
            () -> load("kubernetes: {watchNamespaces: [a], watchNamespaceSelector: team=shop}"))
        .hasMessageContaining("either watchNamespaces or watchNamespaceSelector, not both");
  }

  @Test
  void clusters_haveAKubeconfigEach_andThereAreAtMostSixteen() throws Exception {
    assertThat(load("kubernetes: {clusters: {eu: {kubeconfig: /a}, us: {kubeconfig: /b}}}"))
        .extracting(all -> all.kubernetes().clusters())
        .isEqualTo(Map.of("eu", "/a", "us", "/b"));
    assertThat(
            ConfigurationLoader.load(
                    null,
                    Map.of("COXSWAIN_KUBERNETES__CLUSTERS__EU_WEST__KUBECONFIG", "/a"),
                    List.of())
                .kubernetes()
                .clusters())
        .isEqualTo(Map.of("eu-west", "/a"));
    String many =
        IntStream.range(0, 17)
            .mapToObj(i -> "c" + i + ": {kubeconfig: /a}")
            .collect(Collectors.joining(", "));
    assertThatThrownBy(() -> load("kubernetes: {clusters: {" + many + "}}"))
        .hasMessageContaining(":3: kubernetes.clusters: expected at most 16 clusters, found 17");
  }

  @Test
  void aFlagWinsOverTheEnvironment_whichWinsOverTheFile() throws Exception {
    Path file =
        write(
            """
            admin: {port: 1}
            metrics: {port: 1}
            health: {port: 1, workersExhaustedLimit: 10m}
            """);
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            file,
            Map.of("COXSWAIN_ADMIN__PORT", "2", "COXSWAIN_METRICS__PORT", "2"),
            List.of("admin.port=3"));
    assertThat(configuration.health().port()).isEqualTo(1);
    assertThat(configuration.exhaustedLimit()).isEqualTo(Duration.ofMinutes(10));
    assertThat(configuration.metrics().listener().port()).isEqualTo(2);
    assertThat(configuration.admin().listener().port()).isEqualTo(3);
  }

  @Test
  void variables_reachEveryKey_andThoseOfServicesAreLeftAlone() throws Exception {
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(
            null,
            Map.of(
                "COXSWAIN_MEMBERSHIP__LEASE_DURATION", "20s",
                "COXSWAIN_CONTROLLERS__CONFIG_MIRROR__FAILURE_COOLDOWN", "1s",
                "COXSWAIN_REPLICA_NAME", "one",
                "COXSWAIN_ADMIN_PORT", "tcp://10.0.0.1:8090",
                "COXSWAIN_SERVICE_HOST", "10.0.0.1",
                "HOSTNAME", "pod-1"),
            List.of());
    assertThat(configuration.membership().leaseDuration()).isEqualTo(Duration.ofSeconds(20));
    assertThat(configuration.controller("config-mirror").failureCooldown())
        .isEqualTo(Duration.ofSeconds(1));
    assertThat(configuration.replicaName()).isEqualTo("one");
    assertThat(configuration.admin().listener()).isEqualTo(listener(8090));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "admin: {prot: 1}|:3: admin.prot: unknown key, did you mean \"port\"? (known: access, auth, host, links, port, tls)",
        "contrlers: {}|:3: contrlers: unknown key, did you mean \"controllers\"?",
        "admin: {port: 70000}|:3: admin.port: expected a whole number from 0 to 65535, found \"70000\"",
        "admin: {port: high}|admin.port: expected a whole number from 0 to 65535, found \"high\"",
        "admin: 8090|:3: admin: expected a map, found \"8090\"",
        "admin: {host: 0.0.0.0}|admin.host: expected a loopback address such as 127.0.0.1",
        "admin: {host: 0.0.0.0}|or a certificate in admin.tls: without TLS tokens could be intercepted",
        "admin: {host: 0.0.0.0, auth: {mode: none}, tls: {certificate: a, key: b}}|:3: admin.host: expected a loopback address such as 127.0.0.1, or another admin.auth.mode than none",
        "admin: {access: reads}|:3: admin.access: expected one of none, read-only, no-destructive, full, found \"reads\"",
        "admin: {auth: {mode: basic}}|admin.auth.mode: expected one of kubernetes, tokenFile, none, found \"basic\"",
        "admin: {auth: {mode: tokenFile}}|admin.auth.tokenFile: expected a file with the tokens",
        "admin: {auth: {tokenFile: a}}|admin.auth.tokenFile: expected nothing, unless mode is tokenFile",
        "admin: {auth: {audience: a b}}|admin.auth.audience: expected the audience of tokens",
        "admin: {tls: {certificate: a}}|admin.tls.key: expected a file: certificate and key go together",
        "drainLimit: soon|drainLimit: expected a duration such as \"500ms\", \"15s\"",
        "drainLimit: -5s|drainLimit: expected a duration",
        "drainLimit: [1]|drainLimit: expected a duration such as \"500ms\", \"15s\" or \"1m30s\", or 0, found a list",
        "logging: {format: xml}|logging.format: expected one of text, json, found \"xml\"",
        "logging: {levels: {a.b: loud}}|logging.levels.a.b: expected one of trace, debug, info, warn, error",
        "controllers: {Demo: {}}|controllers.Demo: \"Demo\" is not the name of a controller",
        "controllers: {demo: {concurrency: 0}}|controllers.demo.concurrency: expected a whole number from 1 to 10000",
        "controllers: {demo: {fairFlows: maybe}}|controllers.demo.fairFlows: expected true or false",
        "controllers: {demo: {composition: max}}|controllers.demo.composition: expected one of admission, maxOf, backoffOnly",
        "controllers: {demo: {budget: vendr}}|controllers.demo.budget: expected the name of a limiter; \"vendr\" is not one",
        "controllers: {demo: {backoff: {base: 2s, max: 1s}}}|controllers.demo.backoff.max: expected a duration not shorter than base",
        "controllers: {demo: {backoff: {jiter: 1}}}|controllers.demo.backoff.jiter: unknown key, did you mean \"jitter\"?",
        "kubernetes: {watchNamespaces: [Shop]}|:3: kubernetes.watchNamespaces: expected a list of names of namespaces, found \"Shop\"",
        "kubernetes: {watchNamespaces: shop}|:3: kubernetes.watchNamespaces: expected a list of at most 64 names of namespaces, found \"shop\"",
        "kubernetes: {clusters: {EU: {kubeconfig: a}}}|:3: kubernetes.clusters.EU: \"EU\" is not the name of a cluster: use a-z, 0-9 and '-'",
        "kubernetes: {clusters: {eu: {}}}|:3: kubernetes.clusters.eu.kubeconfig: expected a kubeconfig file",
        "kubernetes: {clusters: {eu: {kubeconfg: a}}}|:3: kubernetes.clusters.eu.kubeconfg: unknown key, did you mean \"kubeconfig\"?",
        "controllers: {demo: {watchNamespaces: [a, {}]}}|:3: controllers.demo.watchNamespaces: expected a list of names of namespaces",
        "controllers: {demo: {config: 3}}|controllers.demo.config: expected a map",
        "limiters: {default: {rate: 0}}|limiters.default.rate: expected a number from 0.001 to 1000000",
        "limiters: {default: {rate: 5, maxRate: 4}}|limiters.default.maxRate: expected a number not smaller than rate",
        "limiters: {default: {burst: 5, maxBurst: 4}}|limiters.default.maxBurst: expected a number not smaller than burst",
        "limiters: {default: {burst: 0}}|limiters.default.burst: expected a whole number from 1 to 1000000",
        "membership: {maxReplicas: 0}|membership.maxReplicas: expected a whole number from 1 to 500",
        "sharedLimiter: {floorShare: 1}|sharedLimiter.floorShare: expected a number from 0 to 0.9",
        "sharedLimiter: {members: [10.0.0.1]}|:3: sharedLimiter.members: expected a list of addresses such as 10.0.0.7:5701, found \"10.0.0.1\"",
        "sharedLimiter: {members: 10.0.0.1:5701}|sharedLimiter.members: expected a list of at most 100 addresses",
        "sharedLimiter: {members: [a:1], service: b}|sharedLimiter.service: expected either members or service",
        "sharedLimiter: {service: b, port: 0}|sharedLimiter.port: expected a port: with a service all members have the same",
        "membership: {leaseDuration: 3500ms}|membership.leaseDuration: expected whole seconds",
        "membership: {renewPeriod: 3s}|membership.renewPeriod: expected a duration of at most 2s500ms",
        "sharedLimiter: {memebrs: []}|sharedLimiter.memebrs: unknown key, did you mean \"members\"?",
        "sharedLimiter: {enabled: true}|:3: sharedLimiter.enabled: expected members or service as well",
        "metrics: {port: 8081}|:3: metrics.port: expected a port of its own, found 8081, which is health.port as well",
        "health: {host: 0.0.0.0, port: 8090}|:3: health.port: expected a port of its own, found 8090, which is admin.port",
        "sharedLimiter: {enabled: true, service: a, port: 8090}|:3: sharedLimiter.port: expected a port of its own",
        "changes: {pauses: {startTimeout: soon}}|changes.pauses.startTimeout: expected a duration",
        "membership: {leaseDuration: 6s, renewPeriod: 1s}|membership.renewPeriod: expected a duration of at most 875ms",
        "membership: {slots: 48}|membership.slots: expected a power of two up to 4096",
        "membership: {slots: 8192}|membership.slots: expected a power of two up to 4096",
        "membership: {leaseDuration: 2s}|membership.leaseDuration: expected",
        "admin: {links: {trace: 'javascript:alert(1)'}}|admin.links.trace: expected an address such as https://",
        "admin: {links: {logs: 'https://a/{nmae}'}}|admin.links.logs: expected an address such as https://",
        "admin: {links: {log: 'https://a'}}|admin.links.log: unknown key, did you mean \"logs\"?",
        "admin: {port: 1, port: 2}|:3: the key \"port\" is given twice",
        "a: &x {b: 1}|a: unknown key",
        "a: [*nothing]|:3: not valid YAML",
        "admin: {port|not valid YAML",
      })
  void aFault_namesTheFileTheKeyAndWhatWasExpected(String yaml, String message) throws Exception {
    Path file = write(yaml);
    assertThatThrownBy(() -> ConfigurationLoader.load(file, Map.of(), List.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(file.toString())
        .hasMessageContaining(message);
  }

  @Test
  void aKeyWithNothingBehindIt_leavesTheDefaults_alsoOfASection() throws Exception {
    assertThat(load("drainLimit:\nadmin:\ncontrollers: {demo: }\n").admin())
        .isEqualTo(load("").admin());
    assertThat(load("controllers: {demo: {config: }}").controller("demo").config()).isEmpty();
  }

  @Test
  void allFaults_areToldAtOnce() throws Exception {
    Path file = write("admin: {port: x}\nmetrics: {port: y}\nunknown: 1\n");
    assertThatThrownBy(() -> ConfigurationLoader.load(file, Map.of(), List.of()))
        .satisfies(e -> assertThat(String.valueOf(e.getMessage()).lines()).hasSize(3));
  }

  @Test
  void aFaultInAVariable_namesTheVariable() {
    assertThatThrownBy(
            () -> ConfigurationLoader.load(null, Map.of("COXSWAIN_ADMIN__PORT", "x"), List.of()))
        .hasMessageContaining("environment variable COXSWAIN_ADMIN__PORT: admin.port: expected");
    assertThatThrownBy(() -> ConfigurationLoader.load(null, Map.of(), List.of("admin.port")))
        .hasMessageContaining("--set admin.port: expected KEY=VALUE");
  }

  @Test
  void aDotInANameOfAFlag_isWrittenWithABackslash() throws Exception {
    assertThat(
            ConfigurationLoader.load(
                    null, Map.of(), List.of("logging.levels.io\\.vertx\\.core=debug"))
                .logging()
                .levels())
        .containsOnlyKeys("io.vertx.core");
    assertThatThrownBy(
            () -> ConfigurationLoader.load(null, Map.of(), List.of("logging.levels.a\\b=debug")))
        .hasMessageContaining("expected \\. for a dot in a name");
    assertThatThrownBy(
            () -> ConfigurationLoader.load(null, Map.of(), List.of("logging.levels.a\\=debug")))
        .hasMessageContaining("expected \\. for a dot in a name");
  }

  @Test
  void aFileThatIsNotAConfiguration_isRefused() throws Exception {
    Path missing = folder.resolve("missing.yaml");
    assertThatThrownBy(() -> ConfigurationLoader.load(missing, Map.of(), List.of()))
        .hasMessage(missing + ": no such file");
    assertThatThrownBy(() -> ConfigurationLoader.load(folder, Map.of(), List.of()))
        .hasMessageContaining("is a directory");
    Path other = Files.writeString(folder.resolve("other.yaml"), "kind: Pod\n");
    assertThatThrownBy(() -> ConfigurationLoader.load(other, Map.of(), List.of()))
        .hasMessageContaining("expected apiVersion \"config.coxswain.dev/v1alpha1\"")
        .hasMessageContaining("found no apiVersion and \"Pod\"");
    Path list = Files.writeString(folder.resolve("list.yaml"), "- a\n");
    assertThatThrownBy(() -> ConfigurationLoader.load(list, Map.of(), List.of()))
        .hasMessageContaining("expected a map of keys and values, found a list");
  }

  private CoxswainConfiguration load(String yaml) throws Exception {
    return ConfigurationLoader.load(write(yaml), Map.of(), List.of());
  }

  private Path write(String yaml) throws IOException {
    return Files.writeString(folder.resolve("config.yaml"), HEADER + yaml);
  }

  private static CoxswainConfiguration.Listener listener(int port) {
    return new CoxswainConfiguration.Listener("127.0.0.1", port);
  }
}
