// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A host watches the namespaces with a label, which may come and go. */
class NamespaceSelectorTest extends WatchNamespacesFixture {

  private static final String BY_LABEL = "{watchNamespaceSelector: team=shop}";

  private void label(String namespace, String team) {
    user.resource(V1Namespace.class)
        .modify(Request.of(namespace), one -> one.getMetadata().putLabelsItem("team", team));
  }

  private void allowNamespaces() {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: namespaces}
        rules: [{apiGroups: [""], resources: [namespaces], verbs: [list, watch]}]
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: namespaces}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: namespaces}
        subjects: [{kind: ServiceAccount, name: coxswain, namespace: default}]
        """);
  }

  @Test
  void namespacesWithALabel_areWatched_alsoThoseThatGainItLater_andNotThoseThatLoseIt()
      throws Exception {
    allowNamespaces();
    label("a", "shop");
    label("b", "shop");
    WatchingReplica one = replica("one", BY_LABEL);
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    assertThat(reconciled).noneMatch(done -> done.contains(" c/"));
    assertThat(one.shown().path("watchNamespaces").toString()).isEqualTo("[\"a\",\"b\"]");
    one.enqueue("b", "gone", "30m"); // no source lists it

    label("a", "blog");
    label("c", "shop");
    Admin.await(() -> reconciled.contains("one c/one"));
    assertThat(one.shown().path("watchNamespaces").toString()).isEqualTo("[\"b\",\"c\"]");
    assertThat(lists("b")).as("it stays").isEqualTo(1);
    Admin.await(() -> one.item("b", "gone").path("phase").asText().equals("delayed"));
    assertThat(one.explained("a", "one").path("reason").asText()).isEqualTo("leftOut");
    assertThat(requests).noneMatch(request -> request.startsWith("403"));
    assertThat(requests).noneMatch(request -> request.contains(" /api/v1/configmaps"));
  }

  @Test
  void withoutANamespaceThatHasTheLabel_nothingIsWatched_untilOneHasIt() throws Exception {
    allowNamespaces();
    WatchingReplica one = replica("one", BY_LABEL);
    one.start();
    Admin.await(() -> one.shown().path("state").asText().equals("failed"));
    assertThat(one.shown().toString()).contains("watchNamespaceSelector selects no namespace");
    assertThat(requests).noneMatch(request -> request.contains("/configmaps?watch"));
    label("b", "shop");
    Admin.await(() -> reconciled.contains("one b/one"));
    assertThat(reconciled).noneMatch(done -> done.contains(" a/"));
  }

  @Test
  void aListThatBecomesASelector_isFollowedWithoutAStart() throws Exception {
    allowNamespaces();
    label("b", "shop");
    label("c", "shop");
    WatchingReplica one = replica("one", "[a, b]");
    one.start();
    Admin.await(() -> reconciled.containsAll(List.of("one a/one", "one b/one")));
    one.write(BY_LABEL);
    Admin.await(() -> reconciled.contains("one c/one"));
    assertThat(lists("b")).as("it stays").isEqualTo(1);
    assertThat(requests).noneMatch(request -> request.contains(" /api/v1/configmaps"));
    one.write("[a]");
    Admin.await(() -> one.shown().at("/sources/0/description").asText().equals("ConfigMap in a"));
  }

  /** Their watches and their pauses between two changes differ. */
  @Test
  void replicasThatSeeALabelAtDifferentTimes_loseNothing() throws Exception {
    allowNamespaces();
    label("a", "shop");
    createMany();
    WatchingReplica one = replica("one", BY_LABEL);
    WatchingReplica two = replica("two", "{watchNamespaceSelector: team=shop}");
    one.start();
    two.start();
    Admin.await(() -> one.shares() && two.shares());
    label("b", "shop");
    awaitMany();
    create("b", "later");
    Admin.await(() -> reconciled.contains("one b/later") || reconciled.contains("two b/later"));
  }
}
