// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.internal.attempt.AttemptResource;
import dev.coxswain.admin.internal.cause.CauseList;
import dev.coxswain.admin.internal.cause.CauseResource;
import dev.coxswain.admin.internal.change.ChangeList;
import dev.coxswain.admin.internal.change.ChangeRecord;
import dev.coxswain.admin.internal.change.ChangeState;
import dev.coxswain.admin.internal.change.UndoResource;
import dev.coxswain.admin.internal.configuration.ConfigurationList;
import dev.coxswain.admin.internal.history.AuditList;
import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.internal.model.ActionResource;
import dev.coxswain.admin.internal.model.ChangeResource;
import dev.coxswain.admin.internal.model.ChangeResult;
import dev.coxswain.admin.internal.model.ControllerList;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.ItemList;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.model.LimiterList;
import dev.coxswain.admin.internal.model.LimiterResource;
import dev.coxswain.admin.internal.model.OperationResource;
import dev.coxswain.admin.internal.model.PluginResource;
import dev.coxswain.admin.internal.model.ReplicaList;
import dev.coxswain.admin.internal.model.ReplicaResource;
import dev.coxswain.admin.internal.model.SlotResource;
import dev.coxswain.admin.internal.model.StatisticsResource;
import dev.coxswain.admin.internal.object.ExplanationList;
import dev.coxswain.admin.internal.operation.OperationList;
import dev.coxswain.admin.internal.operation.OperationPreview;
import dev.coxswain.admin.internal.plugin.PluginList;
import dev.coxswain.admin.internal.slot.SlotList;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.timeline.TimelineList;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The records of the API and the schemas of {@code openapi.json} have the same fields and types. */
class ValueSchemasTest {

  /** The fields that no response to a client has: of replicas, of events, of other kinds. */
  private static final Map<Class<?>, Set<String>> BETWEEN_REPLICAS =
      Map.of(
          ItemList.class, Set.of("run", "syncing", "withheld"),
          ExplanationResource.class, Set.of("syncing"),
          OperationPreview.class, Set.of("syncing"),
          OperationResource.class, Set.of("participants", "refusals", "finalParts"),
          AuditList.class, Set.of("run"),
          ReplicaResource.class, Set.of("name"),
          ChangeResource.class, Set.of("detail"),
          PluginList.class, Set.of("enabled", "problem"));

  private static final Map<Class<?>, List<String>> SCHEMAS = schemas();

  private static Map<Class<?>, List<String>> schemas() {
    Map<Class<?>, List<String>> schemas = new LinkedHashMap<>();
    schemas.put(
        ControllerResource.class,
        List.of("RunningController", "FailedController", "UnreadableController", "IdleController"));
    schemas.put(ControllerResource.Condition.class, List.of("Condition"));
    schemas.put(ControllerResource.Part.class, List.of("ControllerPart"));
    schemas.put(ControllerList.class, List.of("ControllerList"));
    schemas.put(ItemResource.class, List.of("Item"));
    schemas.put(ItemResource.Key.class, List.of("Key"));
    schemas.put(CauseResource.class, List.of("Cause"));
    schemas.put(CauseResource.Sample.class, List.of("CauseSample"));
    schemas.put(CauseResource.Pause.class, List.of("CausePause"));
    schemas.put(ControllerResource.PausedCause.class, List.of("PausedCause"));
    schemas.put(CauseList.class, List.of("CauseList"));
    schemas.put(TimelineEvent.class, List.of("TimelineEvent"));
    schemas.put(TimelineList.class, List.of("TimelineList"));
    schemas.put(ItemList.class, List.of("ItemList"));
    schemas.put(ExplanationResource.class, List.of("Explanation"));
    schemas.put(AttemptResource.class, List.of("Attempt"));
    schemas.put(AttemptResource.Change.class, List.of("AttemptChange"));
    schemas.put(ExplanationList.class, List.of("ExplanationList"));
    schemas.put(SlotResource.class, List.of("Slot"));
    schemas.put(SlotList.class, List.of("SlotList"));
    schemas.put(SlotList.Share.class, List.of("SlotShare"));
    schemas.put(PluginResource.class, List.of("Plugin"));
    schemas.put(PluginList.class, List.of("PluginList"));
    schemas.put(ConfigurationList.class, List.of("ConfigurationList"));
    schemas.put(ConfigurationList.Configuration.class, List.of("Configuration"));
    schemas.put(ChangeResource.class, List.of("PluginResult", "DrainResult", "SlotResetResult"));
    schemas.put(ChangeResult.class, List.of("ReplicaResult"));
    schemas.put(ActionResource.class, List.of("ActionResult"));
    schemas.put(OperationResource.class, List.of("Operation"));
    schemas.put(OperationResource.Part.class, List.of("OperationPart"));
    schemas.put(OperationResource.Selector.class, List.of("Selector"));
    schemas.put(OperationPreview.class, List.of("OperationPreview"));
    schemas.put(OperationList.class, List.of("OperationList"));
    schemas.put(LimiterResource.class, List.of("Limiter"));
    schemas.put(LimiterResource.Part.class, List.of("LimiterPart"));
    schemas.put(LimiterResource.Floor.class, List.of("LimiterFloor"));
    schemas.put(LimiterList.class, List.of("LimiterList"));
    schemas.put(StatisticsResource.class, List.of("ControllerStats", "ClusterStats"));
    schemas.put(ReplicaState.class, List.of("ReplicaState"));
    schemas.put(ReplicaResource.class, List.of("Replica"));
    schemas.put(ReplicaList.class, List.of("ReplicaList"));
    schemas.put(ChangeRecord.class, List.of("Change"));
    schemas.put(ChangeState.class, List.of("ChangeState"));
    schemas.put(ChangeList.class, List.of("ChangeList"));
    schemas.put(UndoResource.class, List.of("Undo"));
    schemas.put(AuditList.class, List.of("AuditList"));
    schemas.put(TableResource.class, List.of("Table"));
    schemas.put(TableResource.Definition.class, List.of("TableColumn"));
    schemas.put(TableResource.Row.class, List.of("TableRow"));
    return schemas;
  }

  @Test
  void eachRecord_hasTheFieldsOfItsSchema() throws IOException {
    JsonNode all = document().at("/components/schemas");
    Map<String, Set<String>> inRecords = new LinkedHashMap<>();
    Map<String, Set<String>> inDocument = new LinkedHashMap<>();
    SCHEMAS.forEach((type, names) -> {
      Set<String> fields = fields(type);
      fields.removeAll(BETWEEN_REPLICAS.getOrDefault(type, Set.of()));
      inRecords.put(type.getSimpleName() + " " + names, fields);
      Set<String> described = new TreeSet<>();
      names.forEach(
          name -> all.path(name).path("properties").fieldNames().forEachRemaining(described::add));
      inDocument.put(type.getSimpleName() + " " + names, described);
    });
    assertThat(inRecords).isEqualTo(inDocument);
  }

  @Test
  void eachField_hasTheTypeOfItsSchema() throws IOException {
    JsonNode all = document().at("/components/schemas");
    List<String> different = new ArrayList<>();
    SCHEMAS.forEach((type, names) -> {
      for (RecordComponent component : type.getRecordComponents()) {
        for (String name : names) {
          JsonNode field = all.path(name).path("properties").path(nameOf(component));
          Set<String> described = types(all, field);
          String written = typeOf(component.getGenericType());
          if (!described.isEmpty() && !agrees(written, described)) {
            different.add(name + "." + nameOf(component) + ": " + written + ", not " + described);
          }
        }
      }
    });
    assertThat(different).isEmpty();
  }

  private static boolean agrees(String written, Set<String> described) {
    return written.equals("any")
        || described.contains(written)
        || written.startsWith("array of ") && described.equals(Set.of("array"));
  }

  /** The types of a schema, with those of its parts: of an array, its items behind it. */
  private static Set<String> types(JsonNode all, JsonNode schema) {
    Set<String> types = new TreeSet<>();
    if (schema.has("$ref")) {
      String name = schema.path("$ref").asText();
      types.addAll(types(all, all.path(name.substring(name.lastIndexOf('/') + 1))));
    }
    for (String choice : List.of("oneOf", "anyOf", "allOf")) {
      schema.path(choice).forEach(one -> types.addAll(types(all, one)));
    }
    JsonNode own = schema.path("type");
    (own.isArray() ? own : List.of(own)).forEach(one -> types.add(one.asText()));
    if (schema.has("const")) {
      types.add(schema.path("const").isTextual() ? "string" : "boolean");
    }
    if (types.remove("array")) {
      Set<String> items = types(all, schema.path("items"));
      types.add("array");
      items.forEach(item -> types.add("array of " + item));
    }
    types.remove("");
    return types;
  }

  private static String typeOf(Type type) {
    if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
      if (Collection.class.isAssignableFrom(raw)) {
        String item = typeOf(generic.getActualTypeArguments()[0]);
        return item.equals("any") ? "array" : "array of " + item;
      }
      return Map.class.isAssignableFrom(raw) ? "object" : typeOf(raw);
    }
    if (!(type instanceof Class<?> raw)) {
      return "any";
    }
    if (raw == String.class || raw == Instant.class || raw == Duration.class || raw.isEnum()) {
      return "string";
    }
    if (raw == Boolean.class || raw == boolean.class) {
      return "boolean";
    }
    if (Set.of(Integer.class, Long.class, int.class, long.class).contains(raw)) {
      return "integer";
    }
    if (raw == Double.class || raw == double.class) {
      return "number";
    }
    return raw.isRecord() || Map.class.isAssignableFrom(raw) ? "object" : "any";
  }

  private static String nameOf(RecordComponent component) {
    JsonProperty renamed = component.getAccessor().getAnnotation(JsonProperty.class);
    return renamed == null ? component.getName() : renamed.value();
  }

  private static JsonNode document() throws IOException {
    try (var text =
        Objects.requireNonNull(OpenApi.class.getResourceAsStream("openapi.json"), "resource")) {
      return new ObjectMapper().readTree(text);
    }
  }

  private static Set<String> fields(Class<?> type) {
    Set<String> fields = new TreeSet<>();
    for (RecordComponent component : type.getRecordComponents()) {
      if (component.getAccessor().isAnnotationPresent(JsonUnwrapped.class)) {
        fields.addAll(fields(component.getType()));
      } else if (!component.getAccessor().isAnnotationPresent(JsonAnyGetter.class)) {
        fields.add(nameOf(component));
      }
    }
    return fields;
  }
}
