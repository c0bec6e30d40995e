// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.ownership.ClaimTexts;
import java.util.HashMap;
import java.util.Map;

/**
 * The texts of long claims, in one ConfigMap for each replica, with a key for each text.
 *
 * <p>Thread rule: any thread that may block.
 */
public final class ClaimTextStore implements ClaimTexts.Store {

  private final OrdinalConfigMap maps;

  /**
   * Creates a store.
   *
   * @param transport a transport whose writes are guarded by the Lease of this replica
   */
  public ClaimTextStore(ApiTransport transport, Membership settings) {
    maps = new OrdinalConfigMap(transport, settings.namespace(), settings::controllersName);
  }

  @Override
  public Map<String, String> get(int ordinal) {
    Map<String, String> texts = new HashMap<>();
    maps.data(ordinal)
        .entrySet()
        .forEach(one -> {
          if (one.getValue() instanceof JsonPrimitive text) {
            texts.put(one.getKey(), text.getAsString());
          }
        });
    return texts;
  }

  @Override
  public void put(int ordinal, Map<String, String> texts) {
    JsonObject data = new JsonObject();
    maps.data(ordinal).keySet().forEach(before -> data.add(before, JsonNull.INSTANCE));
    texts.forEach(data::addProperty);
    maps.patch(ordinal, data, true);
  }
}
