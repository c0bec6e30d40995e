// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The person who deploys says which namespaces a host watches, at the start and later. */
class WatchNamespacesTest extends WatchNamespacesFixture {

  @Test
  void anAccountWithRolesInTwoNamespaces_isEnough_andNothingIsForbidden() throws Exception {
    server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: d}}"); // without a Role
    create("d", "one");
    WatchingReplica one = replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    create("b", "two");
    Admin.await(() -> reconciled.contains("one b/two"));
    assertThat(reconciled).noneMatch(done -> done.contains("d/"));
    assertThat(requests).noneMatch(request -> request.startsWith("403"));
    assertThat(requests).noneMatch(request -> request.contains(" /api/v1/configmaps"));
    assertThat(one.shown().at("/sources/0/description").asText()).isEqualTo("ConfigMap in a, b");
  }

  @Test
  void aChangedFile_addsOneNamespaceAndRemovesOne_withoutAListOfTheRest() throws Exception {
    WatchingReplica one = replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    Admin.await(() -> one.item("a", "one").path("phase").asText().equals("delayed"));
    for (String namespace : List.of("a", "b")) { // no source lists these
      one.enqueue(namespace, "gone", "30m");
    }
    reconciled.clear();
    one.write("[b, c]");

    Admin.await(() -> reconciled.contains("one c/one"));
    Admin.await(
        () -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in b, c"));
    create("a", "two");
    create("b", "two");
    Admin.await(() -> reconciled.contains("one b/two"));
    assertThat(reconciled).noneMatch(done -> done.contains(" a/"));
    assertThat(lists("a")).isEqualTo(1);
    assertThat(lists("b")).as("it stays").isEqualTo(1);
    assertThat(lists("c")).isEqualTo(1);
    Admin.await(() -> one.cached("a").isEmpty());

    JsonNode why = one.explained("a", "one");
    assertThat(why.path("reason").asText()).isEqualTo("leftOut");
    assertThat(why.toString()).contains("does not watch namespace \\\"a\\\"");
    assertThat(one.refused("a", "one").toString()).contains("does not watch namespace");
    Admin.await(() -> one.item("b", "gone").path("phase").asText().equals("delayed"));
    assertThat(one.explained("a", "gone").path("reason").asText()).isEqualTo("leftOut");
    assertThat(one.shown().path("watchNamespaces").toString()).isEqualTo("[\"b\",\"c\"]");
  }

  @Test
  void aRunningAttempt_endsNormally_whenItsNamespaceIsRemoved() throws Exception {
    create("a", "slow");
    WatchingReplica one = replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.contains("one begun a/slow"));
    one.write("[b]");
    Admin.await(() -> one.shown().path("state").asText().equals("draining"));
    goOn.countDown();
    Admin.await(() -> reconciled.contains("one a/slow"));
    Admin.await(() -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in b"));
  }

  @Test
  void aNamespaceThatDoesNotExist_isNoError_andIsWatchedFromItsCreation() throws Exception {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: all}
        rules: [{apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}]
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: all}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: all}
        subjects: [{kind: ServiceAccount, name: coxswain, namespace: default}]
        """);
    WatchingReplica one = replica("one", "[a, later]");
    one.start();
    Admin.await(() -> reconciled.contains("one a/one"));
    server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: later}}");
    create("later", "one");
    Admin.await(() -> reconciled.contains("one later/one"));
  }

  @Test
  void whatHasFailed_keepsItsFailures_whenTheControllerIsBuiltAgain() throws Exception {
    create("b", "bad");
    WatchingReplica one = replica("one", "[a, b]");
    one.start();
    Admin.await(() -> one.item("b", "bad").path("failures").asInt() == 1);
    Admin.await(() -> one.item("b", "bad").path("phase").asText().equals("delayed"));
    one.write("[b]");
    Admin.await(() -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in b"));
    Admin.await(() -> one.item("b", "bad").path("failures").asInt() > 1);
    assertThat(one.item("b", "bad").path("failures").asInt())
        .as("listed again, attempted once, and not for the first time")
        .isEqualTo(2);
  }

  @Test
  void aRequestOfARunThatHasNotSynced_isKept() throws Exception {
    server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: d}}"); // without a Role
    WatchingReplica one = replica("one", "[a, d]");
    one.start();
    Admin.await(() -> one.shown().path("state").asText().equals("syncing"));
    one.enqueue("a", "gone", "30m"); // no source lists it
    one.write("[a]");
    Admin.await(() -> reconciled.contains("one a/one"));
    Admin.await(() -> one.item("a", "gone").path("phase").asText().equals("delayed"));
  }

  /** A ConfigMap reaches the pods at different times. */
  @Test
  void replicasWhoseFilesDiffer_loseNothing_onceTheyAgree() throws Exception {
    createMany();
    WatchingReplica one = replica("one", "[a]");
    WatchingReplica two = replica("two", "[a, b]");
    one.start();
    two.start();
    Admin.await(() -> one.shares() && two.shares());
    assertThat(reconciled).noneMatch(done -> done.startsWith("one b/"));
    one.write("[a, b]");
    awaitMany();
    assertThat(reconciled).anyMatch(done -> done.startsWith("one b/b"));
  }
}
