// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Immutable fields, and the messages about invalid patches. */
final class WriteRulesTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String TEMPLATE =
      "\"selector\":{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";

  @RegisterExtension private static final ClassServer OWN = new ClassServer();
  private static final EmbeddedApiServer server = OWN.server;
  private static final Http http = OWN.http;

  private static void refused(Http.Answer answer, String field, String message) {
    assertThat(answer.status()).as("%s", answer.body()).isEqualTo(422);
    assertThat(answer.body().at("/details/causes/0/field").asText()).isEqualTo(field);
    assertThat(answer.body().at("/details/causes/0/message").asText()).contains(message);
  }

  private static String created(String collection, String body) {
    assertThat(http.post(collection, body).status()).as("%s %s", collection, body).isEqualTo(201);
    return collection + "/x";
  }

  @ParameterizedTest
  @CsvSource({
    "/apis/coordination.k8s.io/v1/namespaces/default/leases/gone, leases",
    "/api/v1/namespaces/default/services/gone, services/specs",
    "/api/v1/namespaces/default/configmaps/gone, configmaps",
    "/apis/apps/v1/namespaces/default/deployments/gone, deployments",
    "/apis/apps/v1/namespaces/default/deployments/gone/status, deployments",
    "/apis/apps/v1/namespaces/default/deployments/gone/scale, deployments",
  })
  void updateWithTheUidOfADeletedObject_isAConflict_andBringsNothingBack(
      String path, String storage) {
    String uid = "11111111-2222-3333-4444-555555555555";
    Http.Answer answer =
        http.call(
            "PUT",
            path,
            "{\"metadata\":{\"name\":\"gone\",\"namespace\":\"default\",\"uid\":\"" + uid + "\"}}",
            "application/json");
    assertThat(answer.status()).as("%s", answer.body()).isEqualTo(409);
    assertThat(answer.body().path("message").asText())
        .endsWith(
            "Key: /registry/"
                + storage
                + "/default/gone, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed:"
                + " UID in precondition: "
                + uid
                + ", UID in object meta: ");
    assertThat(http.get(path.replaceAll("/(status|scale)$", "")).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource({"7", "''"})
  void anotherUid_isRefusedBeforeTheVersion(String version) {
    String collection = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    http.post(collection, "{\"metadata\":{\"name\":\"held\"}}");
    Http.Answer answer =
        http.call(
            "PUT",
            collection + "/held",
            "{\"metadata\":{\"name\":\"held\",\"uid\":\"1\",\"resourceVersion\":\""
                + version
                + "\"}}",
            "application/json");
    assertThat(answer.status()).as("%s", answer.body()).isEqualTo(409);
    assertThat(answer.body().path("message").asText()).contains("UID in precondition: 1, UID in");
  }

  @Test
  void recreateStrategy_hasNoRollingUpdate() {
    String path =
        created(
            "/apis/apps/v1/namespaces/default/deployments",
            "{\"metadata\":{\"name\":\"x\"},\"spec\":{" + TEMPLATE + "}}");
    String recreate = "{\"spec\":{\"strategy\":{\"type\":\"Recreate\"}}}";
    refused(
        http.merge(path, recreate),
        "spec.strategy.rollingUpdate",
        "may not be specified when strategy `type` is 'Recreate'");
    String both = "{\"spec\":{\"strategy\":{\"type\":\"Recreate\",\"rollingUpdate\":null}}}";
    assertThat(http.merge(path, both).status()).isEqualTo(200);
  }

  @Test
  void podTemplate_staysAsSent() {
    String pod = "\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
    String collection = "/api/v1/namespaces/default/podtemplates";
    String path = created(collection, "{\"metadata\":{\"name\":\"x\"}," + pod + "}");
    assertThat("\"template\":" + http.get(path).body().path("template")).isEqualTo(pod);
  }

  @Test
  void statefulSet_changesInAFewFieldsOnly() {
    String path =
        created(
            "/apis/apps/v1/namespaces/default/statefulsets",
            "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"serviceName\":\"s\"," + TEMPLATE + "}}");
    String policy = "{\"spec\":{\"podManagementPolicy\":\"Parallel\"}}";
    for (String change : List.of("{\"spec\":{\"serviceName\":\"t\"}}", policy)) {
      refused(http.merge(path, change), "spec", "updates to statefulset spec for fields other");
    }
    String free = "{\"spec\":{\"replicas\":3,\"minReadySeconds\":5}}";
    assertThat(http.merge(path, free).status()).isEqualTo(200);
  }

  @Test
  void job_keepsItsTemplateAndCompletions_unlessSuspended() {
    String jobs = "/apis/batch/v1/namespaces/default/jobs";
    String template =
        "\"template\":{\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
    String path = created(jobs, "{\"metadata\":{\"name\":\"x\"},\"spec\":{" + template + "}}");
    String other = "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"a\":\"b\"}}}}}";
    refused(http.merge(path, other), "spec.template", "field is immutable");
    refused(
        http.merge(path, "{\"spec\":{\"completions\":5}}"),
        "spec.completions",
        "Invalid value: 5: field is immutable");
    assertThat(http.merge(path, "{\"spec\":{\"parallelism\":5}}").status()).isEqualTo(200);
    assertThat(http.merge(path, "{\"spec\":{\"suspend\":true}}").status()).isEqualTo(200);
    assertThat(http.merge(path, other).status()).isEqualTo(200);
  }

  @Test
  void roleOfABinding_cannotChange() {
    String path =
        created(
            "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
            "{\"metadata\":{\"name\":\"x\"},\"roleRef\":{\"kind\":\"ClusterRole\",\"name\":\"a\"}}");
    refused(http.merge(path, "{\"roleRef\":{\"name\":\"b\"}}"), "roleRef", "cannot change roleRef");
  }

  @Test
  void claim_isPendingAtFirst_isBoundOnce_andGrowsWhenBound() {
    String path =
        created(
            "/api/v1/namespaces/default/persistentvolumeclaims",
            "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"accessModes\":[\"ReadWriteOnce\"],\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}");
    assertThat(http.get(path).body().at("/status/phase").asText()).isEqualTo("Pending");
    assertThat(http.get(path).body().at("/spec/volumeMode").asText()).isEqualTo("Filesystem");
    String grow = "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"2Gi\"}}}}";
    refused(http.merge(path, grow), "spec", "spec is immutable after creation except");
    assertThat(http.merge(path, "{\"spec\":{\"volumeName\":\"v\"}}").status()).isEqualTo(200);
    refused(
        http.merge(path, "{\"spec\":{\"volumeName\":\"w\"}}"), "spec", "spec is immutable after");
    http.merge(path + "/status", "{\"status\":{\"phase\":\"Bound\"}}");
    assertThat(http.merge(path, grow).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "merge-patch|{\"data\":{\"a\":\"1\",\"a\":\"2\"}}|duplicate field \"data.a\"",
        "strategic-merge-patch|{\"data\":{\"a\":\"1\",\"a\":\"2\"}}|duplicate field \"data.a\"",
        "json-patch|[{\"op\":\"add\",\"path\":\"/immutable\",\"value\":false,\"value\":false}]|json patch duplicate field \"[0].value\"",
      })
  void keyThatAPatchHasTwice_isAWarning_andRefusedWhenStrict(
      String type, String patch, String message) {
    http.configMap("twice", "");
    String contentType = "application/" + type + "+json";
    Http.Answer strict =
        http.call("PATCH", MAPS + "/twice?fieldValidation=Strict", patch, contentType);
    refused(strict, "patch", "strict decoding error: " + message);
    Http.Answer warned = http.call("PATCH", MAPS + "/twice", patch, contentType);
    assertThat(warned.status()).isEqualTo(200);
    assertThat(warned.raw().headers().allValues("Warning"))
        .containsExactly("299 - \"" + message.replace("\"", "\\\"") + "\"");
  }

  @Test
  void patchToAnotherType_saysWhatTheDecoderFound() {
    http.configMap("types", "");
    Http.Answer answer = http.merge(MAPS + "/types", "{\"data\":{\"a\":1}}");
    refused(answer, "patch", ": json: cannot unmarshal number into Go struct field ConfigMap.data");
    assertThat(answer.body().path("message").asText()).doesNotContain("cannot be handled as");
  }

  @Test
  void definitionThatIsGoing_takesNoNewObjects() throws Exception {
    server.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: rafts.write.example.com}
        spec:
          group: write.example.com
          scope: Namespaced
          names: {kind: Raft, plural: rafts}
          versions:
          - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
        """);
    String rafts = "/apis/write.example.com/v1/namespaces/default/rafts";
    String raft =
        "{\"apiVersion\":\"write.example.com/v1\",\"kind\":\"Raft\",\"metadata\":{\"name\":\"x\",\"finalizers\":[\"a.b/c\"]}}";
    String path = created(rafts, raft);
    http.delete(DEFINITIONS + "/rafts.write.example.com");
    Http.Answer late = http.post(rafts, raft.replace("\"x\"", "\"y\""));
    assertThat(late.status()).isEqualTo(405);
    assertThat(late.body().path("message").asText())
        .isEqualTo("create not allowed while custom resource definition is terminating");
    assertThat(http.merge(path, "{\"metadata\":{\"finalizers\":null}}").status()).isEqualTo(200);
    Http.await(
        "the definition is gone",
        () -> http.get(DEFINITIONS + "/rafts.write.example.com").status() == 404);
  }
}
