// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What needs the metadata only works with objects that do not fit their class. */
class UndecodableSourceTest {

  private final ScriptedServer server = new ScriptedServer();
  private final Kubernetes k8s = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT);
  private final RecordingSink sink = new RecordingSink();

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private static JsonObject child(String owner, String more, String annotation) {
    return JsonParser.parseString(
            """
            {"apiVersion":"v1","kind":"ConfigMap",
             "metadata":{"namespace":"a","name":"c","uid":"u-c","annotations":{%s},"ownerReferences":[
               {"apiVersion":"v1","kind":"Secret","name":"%s","uid":"u-%s","controller":true}]}
             %s}\
            """
                .formatted(annotation, owner, owner, more))
        .getAsJsonObject();
  }

  private static final String GOOD = ",\"data\":{\"v\":\"1\"}";
  private static final String BAD = ",\"data\":7";

  private KindSource<V1ConfigMap> started(KindSelection<V1ConfigMap> selection) {
    KindSource<V1ConfigMap> source = selection.toSource();
    Await.get(source.start(sink));
    Await.until("the watch to be open", () -> server.openWatches() >= 1);
    return source;
  }

  @Test
  void ownerOfAChildThatBecameUndecodableAndIsDeleted_isReconciled() {
    server.put(child("o", GOOD, ""));
    KindSource<V1ConfigMap> source =
        started(k8s.kind(V1ConfigMap.class).handledBy(Handlers.owner(V1Secret.class)));
    server.put(child("o", BAD, ""));
    server.delete("a", "c");
    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/o 0 EVENT"));
    assertThat(source.handlerFailures()).isZero();
  }

  @Test
  void ownerOfAChildThatIsUndecodable_isReconciled_itsMetadataNamesIt() {
    server.put(child("o", GOOD, ""));
    KindSource<V1ConfigMap> source =
        started(k8s.kind(V1ConfigMap.class).handledBy(Handlers.owner(V1Secret.class)));
    server.put(child("o", BAD, ""));
    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/o 0 EVENT"));
    assertThat(source.handlerFailures()).isZero();
  }

  @Test
  void formerOwner_isReconciled_whenTheChildFitsAgainUnderAnother() {
    server.put(child("old", BAD, ""));
    started(k8s.kind(V1ConfigMap.class).handledBy(Handlers.owner(V1Secret.class)));
    server.put(child("new", GOOD, ""));
    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/new 0 EVENT"));
    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/old 0 EVENT"));
  }

  @Test
  void predicatesOfMetadata_decideAboutAnObjectThatDoesNotFit() {
    KindSource<V1ConfigMap> source =
        started(
            k8s.kind(V1ConfigMap.class)
                .filter(Predicates.selects("team=a"))
                .filter(Predicates.annotationsChanged()));
    server.put(child("o", BAD, ""));
    server.put(child("o", BAD, "\"x\":\"1\""));
    server.put("a", "later", "1");
    Await.until("later", () -> source.contains(Request.of("a", "later")));

    assertThat(source.filterFailures()).isZero();
    assertThat(sink.added()).isEmpty();
  }

  @Test
  void mappingOfTheObject_namesItsFormerRequests_whenItNoLongerFits() {
    server.put(child("o", GOOD, ""));
    KindSource<V1ConfigMap> source =
        started(
            k8s.kind(V1ConfigMap.class)
                .handledBy(Handlers.map(map -> List.of(Request.of("a", ConfigMaps.value(map))))));
    server.put(child("o", BAD, ""));

    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/1 0 EVENT"));
    assertThat(source.handlerFailures()).isEqualTo(1);
  }

  @Test
  void requestAnnotation_works_whenTheSameEditMakesTheObjectFit() {
    server.put(child("o", GOOD, ""));
    started(k8s.kind(V1ConfigMap.class));
    server.put(child("o", BAD, ""));
    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/c 0 EVENT"));
    server.put(child("o", GOOD, "\"coxswain.dev/reset-backoff\":\"1\""));
    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/c forgotten"));
  }

  @Test
  void requestAnnotation_works_onAnObjectThatDoesNotFit() {
    server.put(child("o", BAD, ""));
    started(k8s.kind(V1ConfigMap.class));
    server.put(child("o", BAD, "\"coxswain.dev/reset-backoff\":\"1\""));
    Await.until(() -> "" + sink.added(), () -> sink.added().contains("a/c forgotten"));
  }
}
