// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The arrows between the modules point one way: host, then everything else, then the engine. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(1) // with the others, which share the classes
class ModuleArrowsTest {

  /** Each module's packages; a package that is in none of them fails a test here. */
  private static final String[] ENGINE = {
    "dev.coxswain.controller..",
    "dev.coxswain.internal..",
    "dev.coxswain.reconcile..",
    "dev.coxswain.retry..",
    "dev.coxswain.source..",
    "dev.coxswain.spi..",
    "dev.coxswain.verticle..",
    "dev.coxswain.view.."
  };

  private static final String HTTP = "dev.coxswain.http..";
  private static final String ENGINE_TEST_KIT = "dev.coxswain.testkit..";
  private static final String FIXTURES = "dev.coxswain.testing..";
  private static final String K8S = "dev.coxswain.k8s..";
  private static final String SHARDING = "dev.coxswain.sharding..";
  private static final String API_SERVER = "dev.coxswain.apiserver..";
  private static final String ARCHETYPE = "dev.coxswain.archetype..";
  private static final String MAVEN_PLUGIN = "dev.coxswain.maven..";
  private static final String AUTHORING = "dev.coxswain.authoring..";
  private static final String TEST_CLUSTER = "dev.coxswain.junit5..";
  private static final String LIMITER = "dev.coxswain.limiter..";
  private static final String ADMIN = "dev.coxswain.admin..";
  private static final String CTL = "dev.coxswain.ctl..";
  private static final String EXAMPLES = "dev.coxswain.examples..";
  private static final String HOST = "dev.coxswain.host..";
  private static final String DEVELOPMENT = "dev.coxswain.host.internal.dev..";

  private final JavaClasses classes = MainClasses.get();

  @Test
  void everyClass_belongsToAModule() {
    classes()
        .should()
        .resideInAnyPackage(
            with(
                ENGINE,
                ENGINE_TEST_KIT,
                FIXTURES,
                HTTP,
                K8S,
                SHARDING,
                ARCHETYPE,
                MAVEN_PLUGIN,
                AUTHORING,
                API_SERVER,
                TEST_CLUSTER,
                LIMITER,
                ADMIN,
                CTL,
                EXAMPLES,
                HOST))
        .check(classes);
    assertThat(classes.size()).isGreaterThan(50);
  }

  @Test
  void theEngine_knowsNeitherKubernetesNorHazelcastNorHttpRoutes() {
    onlyDependsOn(ENGINE, "the engine", ENGINE);
    noClasses()
        .that(resideInAnyPackage(ENGINE))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.kubernetes..",
            "com.hazelcast..",
            "io.vertx.ext.web..",
            "io.vertx.core.http..",
            "io.micrometer..",
            "com.fasterxml..")
        .check(classes);
  }

  @Test
  void theHttpListener_dependsOnTheEngineOnly() {
    onlyDependsOn(new String[] {HTTP}, "the HTTP listener", with(ENGINE, HTTP));
  }

  @Test
  void theKubernetesLayer_dependsOnTheEngineAndTheHttpListenerOnly() {
    onlyDependsOn(new String[] {K8S}, "the Kubernetes layer", with(ENGINE, HTTP, K8S));
  }

  @Test
  void sharding_dependsOnTheEngineAndTheKubernetesLayerOnly() {
    onlyDependsOn(new String[] {SHARDING}, "sharding", with(ENGINE, K8S, SHARDING));
  }

  @Test
  void theToolsForAuthors_dependOnTheEngineAndTheKubernetesLayerOnly() {
    onlyDependsOn(new String[] {AUTHORING}, "the tools for authors", with(ENGINE, K8S, AUTHORING));
  }

  /** They are for tests alone. */
  @Test
  void nothing_dependsOnTheFixtures() {
    noClasses()
        .that(resideOutsideOfPackages(FIXTURES))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(FIXTURES)
        .check(classes);
  }

  @Test
  void theEmbeddedApiServer_dependsOnNoOtherModule() {
    onlyDependsOn(new String[] {API_SERVER}, "the embedded API server", API_SERVER);
  }

  /** Nothing that runs depends on it; projects test with it. */
  @Test
  void testClusters_dependOnTheEngineTheKubernetesLayerAndTheirServer_andNothingOnThem() {
    onlyDependsOn(
        new String[] {TEST_CLUSTER},
        "test clusters",
        with(ENGINE, ENGINE_TEST_KIT, K8S, API_SERVER, TEST_CLUSTER));
    noClasses()
        .that(resideOutsideOfPackages(TEST_CLUSTER))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(TEST_CLUSTER)
        .check(classes);
  }

  @Test
  void theArchetype_dependsOnNoOtherModule() {
    onlyDependsOn(new String[] {ARCHETYPE}, "the archetype", ARCHETYPE);
  }

  /** It runs in Maven's process, on an older Java. */
  @Test
  void theMavenPlugin_dependsOnNoOtherModule_andNothingOnIt() {
    onlyDependsOn(new String[] {MAVEN_PLUGIN}, "the Maven plug-in", MAVEN_PLUGIN);
    noClasses()
        .that(resideOutsideOfPackages(MAVEN_PLUGIN))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(MAVEN_PLUGIN)
        .check(classes);
  }

  @Test
  void theSharedLimiter_dependsOnTheEngineOnly() {
    onlyDependsOn(new String[] {LIMITER}, "the shared limiter", with(ENGINE, LIMITER));
  }

  @Test
  void theAdminApi_dependsOnTheEngineAndTheHttpListenerOnly() {
    onlyDependsOn(new String[] {ADMIN}, "the admin API", with(ENGINE, HTTP, ADMIN));
    noClasses()
        .that(resideInAnyPackage(ADMIN))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.kubernetes..", "com.hazelcast..")
        .check(classes);
  }

  /** Or some of them would be without a limit that others have. */
  @Test
  void connectionsToOtherReplicas_areMadeInOnePlace() {
    noClasses()
        .that(resideInAnyPackage(ADMIN))
        .and()
        .doNotHaveSimpleName("PeerClient")
        .should()
        .dependOnClassesThat()
        .haveNameMatching("io\\.vertx\\.core\\.http\\.(HttpClientOptions|PoolOptions)")
        .check(classes);
  }

  /** Or some of them would be without a bound that others have. */
  @Test
  void httpServersOfAHost_listenInOnePlace() {
    noClasses()
        .that(resideInAnyPackage(K8S, SHARDING, LIMITER, ADMIN, HOST))
        .and(resideOutsideOfPackages(DEVELOPMENT))
        .should()
        .dependOnClassesThat()
        .haveNameMatching("io\\.vertx\\.core\\.(http\\.HttpServer|net\\.NetServer)(Options)?")
        .because(
            "a port listens with BoundedListener, or with PlainHttpServer for a few fixed paths")
        .check(classes);
  }

  @Test
  void examples_dependOnTheEngineAndTheKubernetesLayerOnly() {
    onlyDependsOn(new String[] {EXAMPLES}, "the examples", with(ENGINE, K8S, EXAMPLES));
  }

  /** Production has neither; its class path is looked at by {@code ProductionClassPathIT}. */
  @Test
  void developmentSessionsAlone_dependOnTheEmbeddedApiServerOnToolsAndOnExamples() {
    noClasses()
        .that(
            resideOutsideOfPackages(
                DEVELOPMENT, API_SERVER, ARCHETYPE, AUTHORING, EXAMPLES, TEST_CLUSTER))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(DEVELOPMENT, API_SERVER, ARCHETYPE, AUTHORING, EXAMPLES)
        .check(classes);
  }

  @Test
  void nobody_dependsOnTheHost() {
    noClasses()
        .that(resideOutsideOfPackages(HOST))
        .should()
        .dependOnClassesThat()
        .resideInAPackage(HOST)
        .check(classes);
  }

  /** It starts for every command that a person types: what takes long to load is for the host. */
  @Test
  void theCommandLineOfTheAdminApi_dependsOnNoOtherModule_andLoadsNothingOfTheHost() {
    onlyDependsOn(new String[] {CTL}, "the command line of the admin API", CTL);
    noClasses()
        .that()
        .resideInAPackage(CTL)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.vertx..",
            "io.netty..",
            "com.hazelcast..",
            "io.kubernetes..",
            "com.fasterxml.jackson.databind..",
            "java.net.http..",
            "org.slf4j..")
        .check(classes);
  }

  /**
   * Packages that are not promised, and yet used by another module of this tree: sharding and the
   * limiter are parts of the host; the others are listed one by one.
   */
  private static final Map<String, List<String>> SHARED =
      Map.of(
          HOST,
          List.of(
              "dev.coxswain.sharding.internal..",
              "dev.coxswain.archetype.internal",
              "dev.coxswain.limiter.internal",
              "dev.coxswain.limiter.internal.member",
              "dev.coxswain.http.internal",
              "dev.coxswain.admin.internal.options",
              "dev.coxswain.ctl.internal.cli"),
          ADMIN,
          List.of("dev.coxswain.http.internal"),
          K8S,
          List.of("dev.coxswain.http.internal"),
          SHARDING,
          List.of("dev.coxswain.k8s.internal", "dev.coxswain.k8s.internal.json"));

  @Test
  void nobody_dependsOnTheInternalsOfAnotherModule_butOnThoseThatAreListed() {
    List<String> modules =
        List.of(
            HTTP,
            K8S,
            SHARDING,
            ARCHETYPE,
            AUTHORING,
            API_SERVER,
            LIMITER,
            ADMIN,
            CTL,
            EXAMPLES,
            HOST);
    for (String module : modules) {
      String internal = module.substring(0, module.length() - 2) + ".internal..";
      for (String user : modules) {
        if (!user.equals(module)) {
          noClasses()
              .that(resideInAnyPackage(user))
              .should()
              .dependOnClassesThat(
                  resideInAnyPackage(internal)
                      .and(
                          resideOutsideOfPackages(
                              SHARED.getOrDefault(user, List.of()).toArray(String[]::new))))
              .allowEmptyShould(true)
              .check(classes);
        }
      }
      noClasses()
          .that(resideOutsideOfPackages(modules.toArray(String[]::new)))
          .should()
          .dependOnClassesThat()
          .resideInAPackage(internal)
          .allowEmptyShould(true)
          .check(classes);
    }
  }

  private void onlyDependsOn(String[] module, String name, String... allowed) {
    DescribedPredicate<JavaClass> ours = resideInAnyPackage("dev.coxswain..");
    ArchRule rule =
        noClasses()
            .that(resideInAnyPackage(module))
            .should()
            .dependOnClassesThat(ours.and(resideOutsideOfPackages(allowed)))
            .as(name + " depends on other modules")
            // A module may have no classes yet; that there are classes is checked above.
            .allowEmptyShould(true);
    rule.check(classes);
  }

  private static String[] with(String[] some, String... more) {
    List<String> all = new ArrayList<>(Arrays.asList(some));
    all.addAll(Arrays.asList(more));
    return all.toArray(String[]::new);
  }
}
