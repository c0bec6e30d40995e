// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The controller against the real server of the vendor, over HTTP. */
class FleetControllerTest extends ExampleTestSupport {

  private static final int MANY = 1_000_000;

  private final Resource<Fleet> fleets = k8s.resource(Fleet.class);
  private final Request key = Request.of("default", "web");

  @SuppressWarnings("NullAway.Init") // each test starts it first
  private VendorServer vendor;

  private void start(int ratePerSecond) throws Exception {
    vendor = new VendorServer(Duration.ofMillis(1), ratePerSecond);
    install("fleet/crd-fleets.yaml");
    run(new FleetController());
  }

  @Override
  protected Map<String, Object> config() {
    return Map.of("url", vendor.uri().toString());
  }

  @AfterEach
  void stop() {
    vendor.close();
  }

  private void create(int size, String version) {
    Fleet fleet = new Fleet();
    fleet.setMetadata(new V1ObjectMeta().namespace("default").name("web"));
    fleet.setSpec(new Fleet.Spec(size, version, 1));
    fleets.create(fleet);
  }

  private void awaitMachines(int size, String version) {
    await(
        () -> vendor.machines().size() + " machines, " + vendor.limited() + " limited",
        () -> {
          List<String> versions = List.copyOf(vendor.machines().values());
          return versions.size() == size && versions.stream().allMatch(version::equals);
        });
  }

  @Test
  void oneObject_leadsToTenThousandMachines() throws Exception {
    start(MANY);

    create(10_000, "v1");

    awaitMachines(10_000, "v1");
    assertThat(vendor.machines()).containsKeys("default.web.0", "default.web.9999");
    assertThat(failures()).isZero();
  }

  @Test
  void outage_failsAttempts_andAfterItAllMachinesHaveTheVersionOfTheSpec() throws Exception {
    start(MANY);
    create(50, "v1");
    awaitMachines(50, "v1");

    vendor.outage(true);
    fleets.modify(key, fleet -> fleet.setSpec(new Fleet.Spec(50, "v2", 1)));
    await(() -> failures() + " failures", () -> failures() >= 200);
    assertThat(vendor.machines()).containsValue("v1").doesNotContainValue("v2");
    assertThat(vendor.refused()).isGreaterThanOrEqualTo(200);
    vendor.outage(false);

    awaitMachines(50, "v2");
  }

  @Test
  void tooManyRequests_areRepeatedNoEarlierThanTheVendorSays() throws Exception {
    start(20);

    create(40, "v1");

    awaitMachines(40, "v1");
    assertThat(vendor.limited()).isPositive();
    // 20 at once, and each of the others once or twice after a second: no storm of repeats.
    assertThat(vendor.limited()).isLessThan(40 * 5);
  }

  @Test
  void smallerFleet_andDeletedFleet_removeMachines() throws Exception {
    start(MANY);
    create(10, "v1");
    awaitMachines(10, "v1");

    fleets.modify(key, fleet -> fleet.setSpec(new Fleet.Spec(4, "v1", 1)));
    awaitMachines(4, "v1");
    fleets.delete(key);

    awaitMachines(0, "v1");
  }

  @Test
  void machineThatTheVendorLost_isCreatedAgainByTheNextComparison() throws Exception {
    start(MANY);
    create(3, "v1");
    awaitMachines(3, "v1");

    new VendorClient(vendor::uri).remove("default.web.1");

    awaitMachines(3, "v1");
  }
}
