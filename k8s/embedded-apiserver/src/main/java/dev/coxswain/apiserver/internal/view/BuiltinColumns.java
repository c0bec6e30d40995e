// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * Table columns of built-in resources, by storage key, read from {@code columns.txt}; any thread.
 * Those not listed show name and age.
 *
 * <p>A line without indent names a resource; {@code only} behind it leaves name and age out. The
 * lines below it are columns: heading, type and format if they are not plain text, and what the
 * cells hold. {@code +} makes a column of the wide form. A cell is {@code .path} (or {@code
 * <none>}), {@code .path|default}, {@code =text}, or a function with its argument.
 */
final class BuiltinColumns {
  static final Map<String, List<Columns.Column>> TABLE = read();

  private BuiltinColumns() {}

  private static Map<String, List<Columns.Column>> read() {
    Map<String, List<Columns.Column>> table = new HashMap<>();
    List<Columns.Column> columns = new ArrayList<>();
    List<String> lines = Json.lines(BuiltinColumns.class, "columns.txt");
    for (String line : lines.reversed()) {
      if (line.startsWith(" ")) {
        columns.addFirst(column(line.strip()));
      } else {
        String[] words = line.split(" ", -1);
        table.put(words[0], words.length > 1 ? columns : Columns.withNameAndAge(columns));
        columns = new ArrayList<>();
      }
    }
    return table;
  }

  private static Columns.Column column(String line) {
    int bar = line.indexOf(" | ");
    boolean wide = line.startsWith("+");
    String[] heading = line.substring(wide ? 1 : 0, bar).split(":", -1);
    return new Columns.Column(
        heading[0],
        heading.length > 1 ? heading[1] : "string",
        heading.length > 2 ? heading[2] : "",
        "",
        wide ? 1 : 0,
        cell(line.substring(bar + 3)));
  }

  private static Function<ObjectNode, JsonNode> cell(String text) {
    if (text.startsWith("=")) {
      return o -> Json.text(text.substring(1));
    }
    if (text.startsWith(".")) {
      int bar = text.indexOf('|');
      String[] path = text.substring(1, bar < 0 ? text.length() : bar).split("\\.", -1);
      return bar < 0
          ? o -> Json.text(Cells.textAt(o, path))
          : o -> Json.text(Cells.at(o, path).asText(text.substring(bar + 1)));
    }
    int space = text.indexOf(' ');
    String function = space < 0 ? text : text.substring(0, space);
    String argument = text.substring(space + 1);
    String[] path = argument.split("\\.", -1);
    return switch (function) {
      case "int" -> o -> Cells.intAt(o, path);
      case "size" -> o -> IntNode.valueOf(Cells.at(o, path).size());
      case "data" -> o -> IntNode.valueOf(o.path("data").size() + o.path("binaryData").size());
      case "boolean" -> o -> BooleanNode.valueOf(o.path(argument).asBoolean());
      case "since" -> o -> Json.text(MoreCells.since(o, path));
      default -> o -> Json.text(call(function, o, argument));
    };
  }

  private static String call(String function, ObjectNode o, String argument) {
    return switch (function) {
      case "accessModes" -> MoreCells.accessModes(o, argument);
      case "completions" ->
          Cells.intAt(o, "status", "succeeded").asText()
              + "/"
              + Cells.at(o, "spec", "completions").asText("1");
      case "containers" -> MoreCells.containers(o, argument);
      case "duration" -> MoreCells.duration(o);
      case "endpoints" -> MoreCells.endpoints(o);
      case "eventMessage" -> Cells.textAt(o, o.has("message") ? "message" : "note");
      case "eventObject" -> eventObject(o);
      case "externalAddress" -> MoreCells.externalAddress(o);
      case "hosts" -> MoreCells.hosts(o);
      case "ingressAddress" -> MoreCells.ingressAddress(o);
      case "ingressPorts" -> o.path("spec").path("tls").isEmpty() ? "80" : "80, 443";
      case "jobContainers" -> MoreCells.jobContainers(o, argument);
      case "jobStatus" -> jobStatus(o);
      case "lastSeen" -> lastSeen(o);
      case "limits" -> MoreCells.quota(o, true);
      case "map" -> MoreCells.map(o.at(argument));
      case "nodeStatus" -> nodeStatus(o);
      case "podReady" -> podReady(o);
      case "podStatus" -> podStatus(o);
      case "ports" -> ports(o);
      case "ratio" ->
          Cells.intAt(o, "status", argument).asText()
              + "/"
              + Cells.intAt(o, "spec", "replicas").asText();
      case "requests" -> MoreCells.quota(o, false);
      case "restarts" -> restarts(o);
      case "role" -> Cells.textAt(o, "roleRef", "kind") + "/" + Cells.textAt(o, "roleRef", "name");
      case "scaleTarget" -> MoreCells.scaleTarget(o);
      case "selector" -> MoreCells.selector(o.at(argument));
      case "slicePorts" -> MoreCells.slicePorts(o);
      case "sliceAddresses" -> MoreCells.sliceAddresses(o);
      case "suspend" -> Cells.at(o, "spec", "suspend").asBoolean() ? "True" : "False";
      default -> throw new IllegalArgumentException("no function " + function);
    };
  }

  private static String podReady(ObjectNode pod) {
    int ready = 0;
    for (JsonNode status : pod.path("status").path("containerStatuses")) {
      ready += status.path("ready").asBoolean() ? 1 : 0;
    }
    return ready + "/" + pod.path("spec").path("containers").size();
  }

  private static String podStatus(ObjectNode pod) {
    if (pod.path("metadata").hasNonNull("deletionTimestamp")) {
      return "Terminating";
    }
    String reason = Json.text(pod.path("status"), "reason");
    return reason.isEmpty() ? Cells.textAt(pod, "status", "phase") : reason;
  }

  private static String restarts(ObjectNode pod) {
    int count = 0;
    for (JsonNode status : pod.path("status").path("containerStatuses")) {
      count += status.path("restartCount").asInt();
    }
    return Integer.toString(count);
  }

  private static String ports(ObjectNode service) {
    List<String> ports = new ArrayList<>();
    for (JsonNode port : service.path("spec").path("ports")) {
      ports.add(port.path("port").asText() + "/" + port.path("protocol").asText("TCP"));
    }
    return ports.isEmpty() ? Cells.NONE : String.join(",", ports);
  }

  private static String nodeStatus(ObjectNode node) {
    for (JsonNode condition : node.path("status").path("conditions")) {
      if (Json.text(condition, "type").equals("Ready")) {
        return Json.text(condition, "status").equals("True") ? "Ready" : "NotReady";
      }
    }
    return "Unknown";
  }

  private static String jobStatus(ObjectNode job) {
    for (JsonNode condition : job.path("status").path("conditions")) {
      if (Json.text(condition, "status").equals("True")) {
        return Json.text(condition, "type");
      }
    }
    return "Running";
  }

  private static String lastSeen(ObjectNode event) {
    for (String field : List.of("lastTimestamp", "deprecatedLastTimestamp", "eventTime")) {
      String time = Json.text(event, field);
      if (!time.isEmpty()) {
        return Cells.since(time);
      }
    }
    return Cells.age(event);
  }

  private static String eventObject(ObjectNode event) {
    JsonNode object =
        event.has("regarding") ? event.path("regarding") : event.path("involvedObject");
    return Json.text(object, "kind").toLowerCase(Locale.ROOT) + "/" + Json.text(object, "name");
  }
}
