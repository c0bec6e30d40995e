// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.author;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import java.util.Optional;

/** A controller of shops without the part that differs. */
abstract class ShopController implements ControllerDefinition {

  /** What an attempt works with. */
  record Parts(KindSource<Shop> cache, KindSource<V1ConfigMap> shelfCache, Kubernetes k8s) {
    Resource<Shop> shops() {
      return k8s.resource(Shop.class);
    }

    Resource<V1ConfigMap> shelves() {
      return k8s.resource(V1ConfigMap.class);
    }

    /** Returns a new shelf that the shop owns. */
    V1ConfigMap shelf(Shop shop, V1ObjectMeta metadata) {
      V1ConfigMap shelf =
          new V1ConfigMap().metadata(metadata.namespace("default").labels(Map.of("shelf", "true")));
      OwnerReferences.setController(shops().type(), shop, shelf);
      return shelf;
    }

    /** Creates a shelf, unless it is there. */
    void make(Shop shop, Request key) {
      shelves().createOrPatch(key, () -> shelf(shop, new V1ObjectMeta()), _ -> {});
    }

    /** Makes a shelf what it should be. */
    void put(Shop shop, Request key) {
      shelves()
          .createOrPatch(
              key,
              () -> shelf(shop, new V1ObjectMeta()),
              one -> one.setData(Map.of("sign", String.valueOf(shop.spec().sign()))));
    }

    void report(Request request, String text, int count) {
      shops().modifyStatus(request, shop -> shop.setStatus(new Shop.Status(text, count)));
    }
  }

  static Request shelf(int number) {
    return Request.of("default", "shop-" + number);
  }

  /** Returns how events of shops become requests. */
  EventHandler<Shop> ofShops() {
    return Handlers.object();
  }

  /** Returns whether events of shelves become requests for their shops. */
  boolean watchesShelves() {
    return true;
  }

  /** Returns whether a shop that is being deleted is left to the garbage collector. */
  boolean skipsDeleted() {
    return true;
  }

  @Override
  public String name() {
    return "shop";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<Shop> shops = k8s.kind(Shop.class).handledBy(ofShops()).toSource();
    EventHandler<V1ConfigMap> ofShelves =
        watchesShelves() ? Handlers.owner(Shop.class) : (_, _) -> {};
    KindSource<V1ConfigMap> shelves =
        k8s.kind(V1ConfigMap.class).labels("shelf=true").handledBy(ofShelves).toSource();
    Parts parts = new Parts(shops, shelves, k8s);
    return Controller.named(name())
        .watches(shops)
        .watches(shelves)
        .reconciles((request, _) -> {
          Optional<Shop> shop = shops.get(request);
          if (shop.isPresent()
              && !(skipsDeleted() && shop.get().getMetadata().getDeletionTimestamp() != null)) {
            reconcile(request, shop.get(), parts);
          }
          return Result.done();
        });
  }

  abstract void reconcile(Request request, Shop shop, Parts parts);
}
