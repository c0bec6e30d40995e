// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import dev.coxswain.view.QueuedItem;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** As many objects exist as a function returns, and no others are touched. */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class ManyDependantsTest {

  private static final Request SHOP = Request.of("default", "shop");
  private static final Pattern WRITE =
      Pattern.compile("R\\d+ +(PATCH|POST|PUT|DELETE) \\S*/(configmaps|secrets)\\S*");

  private static void start(CoxswainTest kit, int replicas) {
    kit.install(Site.DEFINITION);
    kit.run(new ShardedSites("shards"));
    scale(kit, replicas);
  }

  private static void scale(CoxswainTest kit, int replicas) {
    kit.apply(Site.yaml("shop", replicas, "hello"));
    kit.settle();
  }

  private static Resource<V1ConfigMap> maps(CoxswainTest kit) {
    return kit.client().resource(V1ConfigMap.class);
  }

  private static List<String> names(CoxswainTest kit) {
    return kit.client().resource(V1ConfigMap.class).list(ListOptions.ALL).stream()
        .map(map -> String.valueOf(map.getMetadata().getName()))
        .filter(name -> name.startsWith("shop"))
        .sorted()
        .toList();
  }

  private static long writes(CoxswainTest kit) {
    return WRITE.matcher(kit.timeline()).results().count();
  }

  private static Site.Status status(CoxswainTest kit) {
    return kit.client().resource(Site.class).get(SHOP).orElseThrow().status();
  }

  private static Site site(CoxswainTest kit, String name) {
    return kit.client().resource(Site.class).get(Request.of("default", name)).orElseThrow();
  }

  @Test
  void objects_areCreatedUpdatedAndDeleted_asTheListChanges_alsoByAnotherProcess(CoxswainTest kit) {
    start(kit, 2);
    assertThat(names(kit)).containsExactly("shop-page-of-shards", "shop-shards-0", "shop-shards-1");
    assertThat(status(kit).volume()).isEqualTo("2");
    assertThat(writes(kit)).isEqualTo(4);

    scale(kit, 3);
    assertThat(names(kit)).hasSize(4).endsWith("shop-shards-2");
    assertThat(writes(kit)).as("those before are as applied").isEqualTo(5);

    kit.crash();
    assertThat(writes(kit)).isEqualTo(5);
    scale(kit, 1);
    assertThat(names(kit)).containsExactly("shop-page-of-shards", "shop-shards-0");
    assertThat(writes(kit)).isEqualTo(7);

    kit.apply(Site.yaml("shop", 1, "bye"));
    kit.settle();
    assertThat(maps(kit).get(Request.of("default", "shop-shards-0")))
        .map(V1ConfigMap::getData)
        .contains(Map.of("message", "bye"));

    maps(kit).delete(Request.of("default", "shop-shards-0"));
    kit.settle();
    assertThat(names(kit)).as("created again").hasSize(2);
  }

  @Test
  void objectsOfTheSameKind_thatAreNotOfThisDependant_stay(CoxswainTest kit) {
    kit.install(Site.DEFINITION);
    kit.run(new ShardedSites("shards"), new ShardedSites("more"));
    scale(kit, 2);
    V1ConfigMap own = new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default"));
    own.getMetadata().name("shop-by-hand");
    OwnerReferences.setController(ResourceType.of(Site.class), site(kit, "shop"), own);
    maps(kit).create(own);
    V1ConfigMap foreign = new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default"));
    foreign
        .getMetadata()
        .name("shop-without-owner")
        .putAnnotationsItem("coxswain.dev/dependant", "shards/Shards");
    maps(kit).create(foreign);
    assertThat(names(kit)).hasSize(8);

    scale(kit, 1);

    assertThat(names(kit))
        .containsExactly(
            "shop-by-hand",
            "shop-more-0",
            "shop-page-of-more",
            "shop-page-of-shards",
            "shop-shards-0",
            "shop-without-owner");
    kit.client()
        .resource(V1ConfigMap.class)
        .modify(
            Request.of("default", "shop-more-0"),
            map -> map.getMetadata().putLabelsItem("touched", "yes"));
    kit.settle();
    assertThat(names(kit)).as("of another controller, with a dependant of that name").hasSize(6);
  }

  @Test
  void anObjectThatAnotherOwnerHasTaken_isNeitherDeletedNorTakenBack(CoxswainTest kit) {
    start(kit, 2);
    Site shop = site(kit, "shop");
    V1ConfigMap other =
        maps(kit)
            .create(
                new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("other")));
    Request taken = Request.of("default", "shop-shards-1");
    kit.apply(Site.yaml("shop", 1, "hello"));
    maps(kit)
        .modify(
            taken,
            map -> {
              OwnerReferences.remove(ResourceType.of(Site.class), shop, map);
              OwnerReferences.setController(ResourceType.of(V1ConfigMap.class), other, map);
            });
    kit.settle();
    assertThat(OwnerReferences.isControlledBy(maps(kit).get(taken).orElseThrow(), other))
        .as(kit.timeline())
        .isTrue();

    scale(kit, 2);

    assertThat(kit.items("shards"))
        .extracting(QueuedItem::lastError)
        .asString()
        .contains("is controlled by ConfigMap \"other\" already");
  }

  @Test
  void tooManyObjects_areRefused_beforeAnythingIsSent(CoxswainTest kit) {
    start(kit, 1_001);

    assertThat(kit.items("shards"))
        .extracting(QueuedItem::lastError)
        .asString()
        .contains("1001 objects of the class V1ConfigMap are desired for default/shop")
        .contains("at most 1000 are possible");
    assertThat(writes(kit)).isZero();
  }

  @Test
  void whatIsAfterMany_waitsForAllOfThem_andMessagesAreBounded(CoxswainTest kit) {
    start(kit, 0);
    assertThat(status(kit).phase())
        .isEqualTo("ShardsReady Applied\nPageReady Applied\nSecretReady Applied");

    for (int i = 0; i < 8; i++) {
      V1ConfigMap slow = new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default"));
      slow.getMetadata().name("shop-shards-" + i).putLabelsItem("slow", "yes");
      maps(kit).create(slow);
    }
    scale(kit, 8);
    String named =
        "ConfigMap default/shop-shards-0, ConfigMap default/shop-shards-1, ConfigMap"
            + " default/shop-shards-2, ConfigMap default/shop-shards-3, ConfigMap"
            + " default/shop-shards-4 and 3 more";
    assertThat(Objects.requireNonNull(status(kit).phase()).lines())
        .containsExactly(
            "ShardsReady NotReady not ready: " + named,
            "PageReady Applied",
            "SecretReady Waiting waits for " + named);

    for (int i = 0; i < 8; i++) {
      maps(kit)
          .modify(
              Request.of("default", "shop-shards-" + i), map -> map.getMetadata().setLabels(null));
    }
    kit.settle();
    assertThat(status(kit).phase()).doesNotContain("Waiting", "NotReady");
  }

  @Test
  void objects_endTheSame_whateverFails(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new ShardedSites("shards"))
            .inParallel()
            .install(Site.DEFINITION)
            .apply("a site is created", Site.yaml("shop", 2, "hello"))
            .apply("it grows", Site.yaml("shop", 4, "hello"))
            .apply("it shrinks", Site.yaml("shop", 1, "hello"))
            .apply("it has none", Site.yaml("shop", 0, "hello"))
            .apply("it grows again", Site.yaml("shop", 2, "bye"));

    ExplorationReport report = kit.explore(scenario.atMost(TestLength.of(30, Integer.MAX_VALUE)));

    System.out.println("many dependants: " + report.text());
    report.verify();
  }
}
