// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Dependants are applied after those that they need, and deleted before them. */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class DependantOrderTest {

  private static final Request SHOP = Request.of("default", "shop");
  private static final Request DATABASE = Request.of("default", "shop-db");
  private static final Request SCHEMA = Request.of("default", "shop-schema");
  private static final Pattern WRITE =
      Pattern.compile(
          "R\\d+ +(PATCH|DELETE) \\S*/(secrets|services|statefulsets|jobs|deployments)/\\S*");

  private final Queue<String> orphans = new ConcurrentLinkedQueue<>();

  @AfterEach
  void nothingWasSeenWithoutWhatItNeeds() {
    assertThat(orphans).isEmpty();
  }

  private static void databaseReady(Kubernetes k8s) {
    k8s.resource(V1StatefulSet.class)
        .modifyStatus(
            DATABASE, set -> set.setStatus(new V1StatefulSetStatus().replicas(1).readyReplicas(1)));
  }

  private static void databaseFails(Kubernetes k8s) {
    k8s.resource(V1StatefulSet.class)
        .modifyStatus(DATABASE, set -> set.setStatus(new V1StatefulSetStatus().replicas(1)));
  }

  private static void schemaComplete(Kubernetes k8s) {
    k8s.resource(V1Job.class)
        .modifyStatus(SCHEMA, job -> job.setStatus(new V1JobStatus().succeeded(1)));
  }

  private static List<String> writes(CoxswainTest kit) {
    return WRITE
        .matcher(kit.timeline())
        .results()
        .map(found -> found.group(1) + " " + found.group(2))
        .toList();
  }

  private static List<String> deleted(CoxswainTest kit) {
    return writes(kit).stream()
        .filter(write -> write.startsWith("DELETE"))
        .map(write -> write.substring(7))
        .toList();
  }

  private static String conditions(CoxswainTest kit) {
    Site shop = kit.client().resource(Site.class).get(SHOP).orElseThrow();
    return String.valueOf(shop.status().phase());
  }

  private static String ready(CoxswainTest kit) {
    Site shop = kit.client().resource(Site.class).get(SHOP).orElseThrow();
    return String.valueOf(shop.status().volume());
  }

  private void start(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(new OrderedSites(orphans));
    kit.apply(Site.yaml("shop", 1, "hello"));
    kit.settle();
  }

  private void startAll(CoxswainTest kit) {
    start(kit);
    databaseReady(kit.client());
    kit.settle();
    schemaComplete(kit.client());
    kit.settle();
    assertThat(ready(kit)).as(conditions(kit)).isEqualTo("True");
  }

  @Test
  void aDependant_waitsForThoseItNeeds_andTheirEventsLeadToTheNextAttempt(CoxswainTest kit) {
    start(kit);
    assertThat(writes(kit))
        .containsExactly("PATCH secrets", "PATCH statefulsets", "PATCH services");
    assertThat(conditions(kit))
        .isEqualTo(
            """
            PasswordReady Applied
            DatabaseReady NotReady not ready: StatefulSet default/shop-db
            ServiceReady Applied
            SchemaReady Waiting waits for StatefulSet default/shop-db
            AppReady Waiting waits for Job default/shop-schema\
            """);
    assertThat(ready(kit)).isEqualTo("False");
    assertThat(kit.queue("ordered").delayed()).as("nothing is polled").isZero();

    databaseReady(kit.client());
    kit.settle();
    assertThat(writes(kit)).hasSize(4).endsWith("PATCH jobs");
    assertThat(conditions(kit))
        .endsWith(
            """
            SchemaReady NotReady not ready: Job default/shop-schema
            AppReady Waiting waits for Job default/shop-schema\
            """);

    schemaComplete(kit.client());
    kit.settle();
    assertThat(writes(kit)).hasSize(5).endsWith("PATCH deployments");
    assertThat(conditions(kit)).endsWith("SchemaReady Applied\nAppReady Applied");
    assertThat(ready(kit)).isEqualTo("True");
    assertThat(kit.elapsed()).isZero();
  }

  @Test
  void aDependantThatWaits_isLeftAsItIs(CoxswainTest kit) {
    startAll(kit);

    databaseFails(kit.client());
    kit.apply(Site.yaml("shop", 3, "hello"));
    kit.settle();

    assertThat(writes(kit)).as(kit.timeline()).hasSize(5);
    assertThat(conditions(kit))
        .endsWith(
            """
            SchemaReady Waiting waits for StatefulSet default/shop-db
            AppReady Waiting waits for Job default/shop-schema\
            """);

    databaseReady(kit.client());
    kit.settle();
    assertThat(writes(kit)).hasSize(6).endsWith("PATCH deployments");
  }

  @Test
  void withoutOneThatItNeeds_aDependantIsDeletedBeforeIt(CoxswainTest kit) {
    startAll(kit);

    kit.apply(Site.yaml("shop", 0, "hello"));
    kit.settle();

    assertThat(deleted(kit)).containsExactly("deployments", "jobs", "statefulsets");
    assertThat(conditions(kit))
        .isEqualTo(
            """
            PasswordReady Applied
            DatabaseReady Absent none is desired
            ServiceReady Applied
            SchemaReady Absent none is desired without Database
            AppReady Absent none is desired without Database\
            """);
    assertThat(ready(kit)).isEqualTo("True");
  }

  @Test
  void whatOthersStillNeed_staysUntilTheyAreGone_alsoAfterACrash(CoxswainTest kit) {
    startAll(kit);
    hold(kit.client(), "test.coxswain.dev/hold");

    kit.apply(Site.yaml("shop", 0, "hello"));
    kit.settle();
    kit.crash();

    assertThat(deleted(kit)).containsExactly("deployments");
    assertThat(conditions(kit))
        .contains(
            "DatabaseReady Deleting is deleted after Job default/shop-schema, Deployment default/shop",
            "SchemaReady Deleting is deleted after Deployment default/shop",
            "AppReady Deleting is being deleted");

    release(kit.client());
    kit.settle();
    assertThat(deleted(kit)).containsExactly("deployments", "jobs", "statefulsets");
  }

  private static void hold(Kubernetes k8s, String finalizer) {
    k8s.resource(V1Deployment.class)
        .modify(SHOP, one -> one.getMetadata().addFinalizersItem(finalizer));
  }

  private static void release(Kubernetes k8s) {
    k8s.resource(V1Deployment.class)
        .modify(
            SHOP,
            one ->
                Objects.requireNonNull(one.getMetadata().getFinalizers())
                    .removeIf(name -> name.startsWith("test.")));
  }

  @Test
  void dependants_areDeletedInReverseOrder_beforeTheirPrimaryObject_alsoWithACrash(
      CoxswainTest kit) {
    startAll(kit);
    hold(kit.client(), "test.coxswain.dev/hold");

    kit.client().resource(Site.class).delete(SHOP);
    kit.settle();
    assertThat(deleted(kit)).as("services are needed by the schema").containsExactly("deployments");
    kit.crash();
    assertThat(deleted(kit)).containsExactly("deployments");
    assertThat(kit.client().resource(Site.class).get(SHOP)).isPresent();

    release(kit.client());
    kit.settle();

    assertThat(deleted(kit))
        .containsExactly("deployments", "jobs", "services", "statefulsets", "secrets");
    assertThat(kit.client().resource(Site.class).get(SHOP)).isEmpty();
    assertThat(kit.queue("ordered").delayed()).as("nothing failed").isZero();
  }

  @Test
  void objectsOfOthers_outliveThePrimaryObject(CoxswainTest kit) {
    startAll(kit);
    kit.client()
        .resource(V1Secret.class)
        .modify(DATABASE, secret -> secret.getMetadata().setOwnerReferences(List.of()));
    kit.client().resource(Site.class).delete(SHOP);
    kit.settle();

    assertThat(kit.client().resource(Site.class).get(SHOP)).isEmpty();
    assertThat(kit.client().resource(V1Secret.class).get(DATABASE)).isPresent();
    assertThat(kit.client().resource(V1Service.class).get(DATABASE)).isEmpty();
  }

  private Scenario complete() {
    return Scenario.of(new OrderedSites(orphans))
        .inParallel()
        .install(Site.DEFINITION)
        .apply("a site is created", Site.yaml("shop", 1, "hello"))
        .whenAtRest("its database is ready", DependantOrderTest::databaseReady)
        .whenAtRest("its schema is complete", DependantOrderTest::schemaComplete)
        .atMost(TestLength.of(20, Integer.MAX_VALUE));
  }

  @Test
  void orderedDependants_areGoneInTheirOrder_whateverFails(CoxswainTest kit) {
    ExplorationReport report =
        kit.explore(complete().then("it is deleted", k8s -> k8s.resource(Site.class).delete(SHOP)));

    System.out.println("ordered dependants, deleted: " + report.text());
    report.verify();
  }

  @Test
  void orderedDependants_goAndComeBackInTheirOrder_whateverFails(CoxswainTest kit) {
    ExplorationReport report =
        kit.explore(
            complete()
                .apply("its database goes", Site.yaml("shop", 0, "hello"))
                // Not early: a database that was not deleted yet would be ready.
                .whenAtRest(
                    "its database comes back",
                    k8s ->
                        k8s.resource(Site.class)
                            .modify(SHOP, site -> site.setSpec(new Site.Spec(1, "hello")))));

    System.out.println("ordered dependants: " + report.text());
    report.verify();
  }
}
