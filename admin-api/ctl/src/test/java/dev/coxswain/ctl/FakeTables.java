// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.cache.CacheList;
import dev.coxswain.admin.internal.cause.CauseList;
import dev.coxswain.admin.internal.cause.CauseResource;
import dev.coxswain.admin.internal.change.ChangeList;
import dev.coxswain.admin.internal.configuration.ConfigurationList;
import dev.coxswain.admin.internal.history.AuditList;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ControllerList;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ItemList;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.model.LimiterList;
import dev.coxswain.admin.internal.model.LimiterResource;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.model.PluginResource;
import dev.coxswain.admin.internal.model.ReplicaList;
import dev.coxswain.admin.internal.object.ExplanationList;
import dev.coxswain.admin.internal.operation.OperationList;
import dev.coxswain.admin.internal.plugin.PluginList;
import dev.coxswain.admin.internal.slot.SlotList;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableValue;
import java.io.IOException;
import java.io.Serial;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes tables of scripted values as the admin API does, so that a test of a command is one of the
 * columns, too. What a value lacks is null or empty; a scripted table stays as it is.
 */
final class FakeTables {

  private static final Map<String, Class<? extends TableValue>> TYPES = new LinkedHashMap<>();

  static {
    TYPES.put("/controllers", ControllerList.class);
    TYPES.put("/controllers/[^/]+", ControllerResource.class);
    TYPES.put("/controllers/[^/]+/items", ItemList.class);
    TYPES.put("/controllers/[^/]+/items/[^/]+", ItemResource.class);
    TYPES.put("/causes", CauseList.class);
    TYPES.put("/controllers/[^/]+/causes", CauseList.class);
    TYPES.put("/controllers/[^/]+/causes/[^/]+", CauseResource.class);
    TYPES.put("/objects", ExplanationList.class);
    TYPES.put("/replicas", ReplicaList.class);
    TYPES.put("/slots", SlotList.class);
    TYPES.put("/limiters", LimiterList.class);
    TYPES.put("/limiters/[^/]+", LimiterResource.class);
    TYPES.put("/caches", CacheList.class);
    TYPES.put("/plugins", PluginList.class);
    TYPES.put("/plugins/[^/]+", PluginResource.class);
    TYPES.put("/config", ConfigurationList.class);
    TYPES.put("/operations", OperationList.class);
    TYPES.put("/operations/[^/]+", OperationResource.class);
    TYPES.put("/audit", AuditList.class);
    TYPES.put("/changes", ChangeList.class);
  }

  private static final JsonMapper MAPPER = mapper();

  private FakeTables() {}

  private static JsonMapper mapper() {
    JsonMapper mapper =
        JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .addModule(new SimpleModule().addDeserializer(Instant.class, new Time()))
            .build();
    mapper.configOverride(List.class).setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY));
    return mapper;
  }

  private static final class Time extends StdDeserializer<Instant> {

    @Serial private static final long serialVersionUID = 1;

    Time() {
      super(Instant.class);
    }

    @Override
    public Instant deserialize(JsonParser json, DeserializationContext context) throws IOException {
      return Instant.parse(json.getText());
    }
  }

  static boolean areAccepted(Map<String, String> headers) {
    return headers.getOrDefault("accept", "").contains(TableRequest.TYPE);
  }

  /** Returns a reply with the table of its value. */
  static FakeAdminApi.Reply of(String path, Map<String, String> headers, FakeAdminApi.Reply reply)
      throws IOException {
    JsonNode value = MAPPER.readTree(reply.body());
    if (value.path("kind").asText().equals("Table")) {
      return reply;
    }
    boolean withObjects = headers.getOrDefault("accept", "").contains(TableRequest.WITH_OBJECTS);
    ObjectNode table =
        Json.tree(
            MAPPER.treeToValue(value, type(path)).table(new TableRequest(CtlRunner.NOW, false)));
    if (withObjects) {
      // As scripted: it may have other fields than those of this version.
      ArrayNode rows = table.withArrayProperty("rows");
      for (int i = 0; i < rows.size(); i++) {
        ((ObjectNode) rows.get(i))
            .set("object", value.has("items") ? value.path("items").get(i) : value);
      }
    }
    return new FakeAdminApi.Reply(reply.status(), reply.headers(), Json.text(table), reply.cut());
  }

  private static Class<? extends TableValue> type(String path) {
    return TYPES.entrySet().stream()
        .filter(type -> path.replaceFirst("^/api/v1", "").matches(type.getKey()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no tables of " + path));
  }
}
