// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.extended.website;

import io.kubernetes.client.common.KubernetesType;
import io.kubernetes.client.extended.controller.reconciler.Reconciler;
import io.kubernetes.client.extended.controller.reconciler.Request;
import io.kubernetes.client.extended.controller.reconciler.Result;
import io.kubernetes.client.informer.cache.Lister;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CustomObjectsApi;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.KubernetesApiResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

/** Publishes the page of each website. */
class WebsiteReconciler implements Reconciler {

  private static final String FINALIZER = "example.com/cdn";

  private final Lister<Website> websites;
  private final GenericKubernetesApi<Website, WebsiteList> api;
  private final GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps;
  private final CustomObjectsApi objects;
  private final Cdn cdn;

  WebsiteReconciler(
      Lister<Website> websites,
      GenericKubernetesApi<Website, WebsiteList> api,
      GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps,
      CustomObjectsApi objects,
      Cdn cdn) {
    this.websites = websites;
    this.api = api;
    this.maps = maps;
    this.objects = objects;
    this.cdn = cdn;
  }

  @Override
  public Result reconcile(Request request) {
    Website website = websites.get(request.getNamespace() + "/" + request.getName());
    if (website == null) {
      return new Result(false);
    }
    try {
      if (website.getMetadata().getDeletionTimestamp() != null) {
        cleanUp(request, website);
        return new Result(false);
      }
      publish(request, website);
      return new Result(true, Duration.ofHours(1));
    } catch (ApiException | IOException e) {
      return new Result(true);
    }
  }

  private void publish(Request request, Website website) throws ApiException {
    if (!finalizers(website).contains(FINALIZER)) {
      Website stored = stored(request);
      stored.getMetadata().addFinalizersItem(FINALIZER);
      succeeded(api.update(stored));
    }
    V1ConfigMap page = page(website);
    KubernetesApiResponse<V1ConfigMap> found = maps.get(request.getNamespace(), request.getName());
    if (found.getHttpStatusCode() == 404) {
      succeeded(maps.create(page));
    } else if (!page.getData().equals(succeeded(found).getData())) {
      page.getMetadata().setResourceVersion(found.getObject().getMetadata().getResourceVersion());
      succeeded(maps.update(page));
    }
    if (!website.isReady()) {
      Website stored = stored(request);
      stored.status = ready();
      objects
          .replaceNamespacedCustomObjectStatus(
              "example.com", "v1", request.getNamespace(), "websites", request.getName(), stored)
          .execute();
    }
  }

  private static Website.Status ready() {
    return new Website.Status(
        List.of(
            new V1Condition()
                .type("Ready")
                .status("True")
                .reason("Published")
                .message("")
                .lastTransitionTime(OffsetDateTime.now())));
  }

  private void cleanUp(Request request, Website website) throws ApiException, IOException {
    if (finalizers(website).contains(FINALIZER)) {
      cdn.purge(request.getName());
      Website stored = stored(request);
      stored.getMetadata().getFinalizers().remove(FINALIZER);
      succeeded(api.update(stored));
    }
  }

  private Website stored(Request request) throws ApiException {
    return succeeded(api.get(request.getNamespace(), request.getName()));
  }

  private static V1ConfigMap page(Website website) {
    V1ObjectMeta owner = website.getMetadata();
    return new V1ConfigMap()
        .metadata(
            new V1ObjectMeta()
                .namespace(owner.getNamespace())
                .name(owner.getName())
                .addOwnerReferencesItem(
                    new V1OwnerReference()
                        .apiVersion(website.getApiVersion())
                        .kind(website.getKind())
                        .name(owner.getName())
                        .uid(owner.getUid())
                        .controller(true)
                        .blockOwnerDeletion(true)))
        .data(Map.of("index.html", "<h1>" + website.spec.title() + "</h1>"));
  }

  private static List<String> finalizers(Website website) {
    List<String> found = website.getMetadata().getFinalizers();
    return found == null ? List.of() : found;
  }

  private static <T extends KubernetesType> T succeeded(KubernetesApiResponse<T> response)
      throws ApiException {
    return response.throwsApiException().getObject();
  }
}
