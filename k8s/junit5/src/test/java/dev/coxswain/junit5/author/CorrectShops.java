// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.author;

import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Objects;

/** Three controllers without a fault: nothing may be found in them. */
enum CorrectShops {
  /** Has a shelf that no owner reference removes, and a finalizer until it is removed. */
  FINALIZER(
      new ShopController() {
        @Override
        boolean skipsDeleted() {
          return false;
        }

        @Override
        void reconcile(Request request, Shop shop, Parts parts) {
          if (Finalizers.isDeleting(shop)) {
            parts.shelves().delete(shelf(1));
            Finalizers.remove(parts.shops(), shop, "author.coxswain.dev/shelf");
            return;
          }
          if (Finalizers.add(parts.shops(), request, "author.coxswain.dev/shelf")
              .filter(stored -> Finalizers.has(stored, "author.coxswain.dev/shelf"))
              .isEmpty()) {
            return; // deleted meanwhile, which the cache does not show yet
          }
          parts
              .shelves()
              .createOrPatch(
                  shelf(1),
                  () -> new V1ConfigMap().metadata(new V1ObjectMeta()),
                  _ -> {}); // nothing watches it, so nothing is kept as it was
        }
      }),

  /** Owns as many shelves as are wanted. */
  OWNER(
      new ShopController() {
        @Override
        void reconcile(Request request, Shop shop, Parts parts) {
          for (int i = 1; i <= shop.spec().shelves(); i++) {
            parts.put(shop, shelf(i));
          }
          for (V1ConfigMap one : parts.shelfCache().list("default")) {
            Request key = parts.shelves().key(one);
            int number = Integer.parseInt(key.name().substring("shop-".length()));
            int wanted = parts.shops().get(request).map(now -> now.spec().shelves()).orElse(0);
            if (number > wanted) {
              V1ObjectMeta metadata = Objects.requireNonNull(one.getMetadata());
              String uid = Objects.requireNonNull(metadata.getUid());
              parts.shelves().delete(key, DeleteOptions.BACKGROUND.withUid(uid));
            }
          }
        }
      }),

  /** Has the number of shelves that show the sign in its status. */
  AGGREGATOR(
      new ShopController() {
        @Override
        void reconcile(Request request, Shop shop, Parts parts) {
          for (int i = 1; i <= shop.spec().shelves(); i++) {
            parts.make(shop, shelf(i));
          }
          int signed =
              (int)
                  parts.shelfCache().list("default").stream()
                      .filter(one -> one.getData() != null && one.getData().containsKey("sign"))
                      .count();
          parts.report(request, signed == 0 ? "empty" : "open", signed);
        }
      });

  @SuppressWarnings("ImmutableEnumChecker") // nothing changes it
  private final ShopController controller;

  CorrectShops(ShopController controller) {
    this.controller = controller;
  }

  ShopController controller() {
    return controller;
  }
}
