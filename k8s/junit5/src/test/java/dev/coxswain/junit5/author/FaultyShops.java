// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.author;

import com.google.gson.JsonParser;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The well-known eight faults of controllers, each in one that is correct but for it. */
enum FaultyShops {
  /** The name of a new shelf is known only from the status that is written after it. */
  DOUBLE_CREATION(
      Kind.CRASH_AFTER,
      () ->
          new ShopController() {
            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              if (shop.status().text() == null) {
                var shelf = parts.shelf(shop, new V1ObjectMeta().generateName("shop-"));
                String name = parts.shelves().key(parts.shelves().create(shelf)).name();
                parts.report(request, name, 1);
              }
            }
          }),

  /** A request that fails is logged, and the attempt succeeds. */
  SWALLOWED_ERROR(
      Kind.TOO_MANY_REQUESTS,
      () ->
          new ShopController() {
            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              try {
                parts.put(shop, shelf(1));
                parts.report(request, shop.spec().sign() + " is shown", 1);
              } catch (ApiStatusException e) {
                System.getLogger("shop").log(System.Logger.Level.DEBUG, "did not work", e);
              }
            }
          }),

  /** Objects that are there when the process starts are ignored: "they were handled before". */
  IGNORED_INITIAL_LIST(
      Kind.CRASH_BEFORE,
      () ->
          new ShopController() {
            @Override
            EventHandler<Shop> ofShops() {
              return (event, requests) -> {
                if (event.trigger() != Trigger.INITIAL_LIST) {
                  requests.accept(event.key());
                }
              };
            }

            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              parts.put(shop, shelf(1));
              parts.report(request, shop.spec().sign() + " is shown", 1);
            }
          }),

  /** The whole specification is written as the cache has it, whatever has been changed since. */
  LOST_UPDATE(
      Kind.EARLY_STEP,
      () ->
          new ShopController() {
            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              Map<String, String> noted = shop.getMetadata().getAnnotations();
              String sign = String.valueOf(shop.spec().sign());
              if (noted == null || !sign.equals(noted.get("noted"))) {
                String patch =
                    """
                    {"metadata": {"annotations": {"noted": "%s"}},
                     "spec": {"shelves": %d, "sign": "%s"}}
                    """
                        .formatted(sign, shop.spec().shelves(), sign);
                parts.shops().patch(request, JsonParser.parseString(patch).getAsJsonObject());
              }
            }
          }),

  /** The finalizer is removed by the attempt that removes the shelf, and by no later one. */
  FINALIZER_LEFT(
      Kind.CRASH_AFTER,
      () ->
          new ShopController() {
            @Override
            boolean skipsDeleted() {
              return false;
            }

            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              if (!Finalizers.isDeleting(shop)) {
                Finalizers.add(parts.shops(), request, "author.coxswain.dev/shelf");
                parts.put(shop, shelf(1));
              } else if (parts.shelves().delete(shelf(1))) {
                Finalizers.remove(parts.shops(), shop, "author.coxswain.dev/shelf");
              }
            }
          }),

  /** A shelf that another client changes stays changed: its events lead to no request. */
  CHILDREN_NOT_WATCHED(
      Kind.CONFLICT,
      () ->
          new ShopController() {
            @Override
            boolean watchesShelves() {
              return false;
            }

            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              parts.put(shop, shelf(1));
            }
          }),

  /** Each attempt writes another status, whose event is the reason of the next attempt. */
  STATUS_LOOP(
      Kind.CONFLICT,
      () ->
          new ShopController() {
            private final AtomicInteger attempts = new AtomicInteger();

            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              parts.report(request, "checked", attempts.incrementAndGet());
            }
          }),

  /** What a stale cache says is not wanted is deleted by its name. */
  DELETION_RACE(
      Kind.STALE_RESTART,
      () ->
          new ShopController() {
            @Override
            void reconcile(Request request, Shop shop, Parts parts) {
              if (shop.spec().shelves() == 0) {
                parts.shelves().delete(shelf(1));
              } else {
                parts.make(shop, shelf(1));
                parts.report(request, shop.spec().sign() + " is shown", 1);
              }
            }
          });

  /** Makes the controller. */
  interface Maker {
    ControllerDefinition make();
  }

  private final Kind shownBy;

  @SuppressWarnings("ImmutableEnumChecker") // none has a state
  private final Maker maker;

  FaultyShops(Kind shownBy, Maker maker) {
    this.shownBy = shownBy;
    this.maker = maker;
  }

  /** Returns the kind of perturbations that shows the fault; two show without any. */
  Kind shownBy() {
    return shownBy;
  }

  ControllerDefinition controller() {
    return maker.make();
  }
}
