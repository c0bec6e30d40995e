// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Table columns of built-in resources, by storage key; those not listed show name and age. */
final class BuiltinColumns {
  static final Map<String, List<Columns.Column>> TABLE =
      Map.ofEntries(
          entry("/configmaps", List.of(data("Data"))),
          entry(
              "/secrets",
              List.of(Columns.text("Type", o -> Cells.textAt(o, "type")), number("Data", "data"))),
          entry(
              "/namespaces",
              List.of(Columns.text("Status", o -> Cells.textAt(o, "status", "phase")))),
          entry("/serviceaccounts", List.of(number("Secrets", "secrets"))),
          entry(
              "/pods",
              List.of(
                  Columns.text("Ready", BuiltinColumns::podReady),
                  Columns.text("Status", BuiltinColumns::podStatus),
                  Columns.text("Restarts", BuiltinColumns::restarts),
                  Columns.wide("IP", o -> Cells.textAt(o, "status", "podIP")),
                  Columns.wide("Node", o -> Cells.textAt(o, "spec", "nodeName")),
                  Columns.wide(
                      "Nominated Node", o -> Cells.textAt(o, "status", "nominatedNodeName")),
                  Columns.wide("Readiness Gates", o -> Cells.NONE))),
          entry(
              "/services",
              List.of(
                  Columns.text("Type", o -> Cells.textAt(o, "spec", "type")),
                  Columns.text("Cluster-IP", o -> Cells.textAt(o, "spec", "clusterIP")),
                  Columns.text("External-IP", MoreCells::externalAddress),
                  Columns.text("Port(s)", BuiltinColumns::ports),
                  Columns.wide("Selector", o -> MoreCells.map(o.at("/spec/selector"))))),
          entry(
              "/nodes",
              List.of(
                  Columns.text("Status", BuiltinColumns::nodeStatus),
                  Columns.text("Roles", o -> Cells.NONE),
                  Columns.text(
                      "Version", o -> Cells.textAt(o, "status", "nodeInfo", "kubeletVersion")))),
          Map.entry(
              "/events",
              List.of(
                  Columns.text("Last Seen", BuiltinColumns::lastSeen),
                  Columns.text("Type", o -> Cells.textAt(o, "type")),
                  Columns.text("Reason", o -> Cells.textAt(o, "reason")),
                  Columns.text("Object", BuiltinColumns::eventObject),
                  Columns.text("Message", o -> first(o, "message", "note")))),
          entry(
              "apps/deployments",
              List.of(
                  Columns.text("Ready", o -> ratio(o, "readyReplicas")),
                  Columns.count("Up-to-date", o -> Cells.intAt(o, "status", "updatedReplicas")),
                  Columns.count("Available", o -> Cells.intAt(o, "status", "availableReplicas")),
                  Columns.wide("Containers", o -> MoreCells.containers(o, "name")),
                  Columns.wide("Images", o -> MoreCells.containers(o, "image")),
                  Columns.wide("Selector", o -> MoreCells.selector(o.at("/spec/selector"))))),
          entry(
              "apps/statefulsets",
              List.of(
                  Columns.text("Ready", o -> ratio(o, "readyReplicas")),
                  Columns.wide("Containers", o -> MoreCells.containers(o, "name")),
                  Columns.wide("Images", o -> MoreCells.containers(o, "image")))),
          entry(
              "apps/replicasets",
              List.of(
                  Columns.number("Desired", o -> Cells.intAt(o, "spec", "replicas")),
                  Columns.number("Current", o -> Cells.intAt(o, "status", "replicas")),
                  Columns.number("Ready", o -> Cells.intAt(o, "status", "readyReplicas")),
                  Columns.wide("Containers", o -> MoreCells.containers(o, "name")),
                  Columns.wide("Images", o -> MoreCells.containers(o, "image")),
                  Columns.wide("Selector", o -> MoreCells.selector(o.at("/spec/selector"))))),
          entry(
              "apps/daemonsets",
              List.of(
                  Columns.number(
                      "Desired", o -> Cells.intAt(o, "status", "desiredNumberScheduled")),
                  Columns.number(
                      "Current", o -> Cells.intAt(o, "status", "currentNumberScheduled")),
                  Columns.number("Ready", o -> Cells.intAt(o, "status", "numberReady")),
                  Columns.number(
                      "Up-to-date", o -> Cells.intAt(o, "status", "updatedNumberScheduled")),
                  Columns.number("Available", o -> Cells.intAt(o, "status", "numberAvailable")),
                  Columns.text(
                      "Node Selector",
                      o -> MoreCells.map(o.at("/spec/template/spec/nodeSelector"))),
                  Columns.wide("Containers", o -> MoreCells.containers(o, "name")),
                  Columns.wide("Images", o -> MoreCells.containers(o, "image")),
                  Columns.wide("Selector", o -> MoreCells.selector(o.at("/spec/selector"))))),
          entry(
              "batch/jobs",
              List.of(
                  Columns.text("Status", BuiltinColumns::jobStatus),
                  Columns.text(
                      "Completions",
                      o ->
                          Cells.intAt(o, "status", "succeeded").asText()
                              + "/"
                              + Cells.at(o, "spec", "completions").asText("1")),
                  Columns.text("Duration", MoreCells::duration),
                  Columns.wide("Containers", o -> MoreCells.containers(o, "name")),
                  Columns.wide("Images", o -> MoreCells.containers(o, "image")),
                  Columns.wide("Selector", o -> MoreCells.selector(o.at("/spec/selector"))))),
          entry(
              "batch/cronjobs",
              List.of(
                  Columns.text("Schedule", o -> Cells.textAt(o, "spec", "schedule")),
                  Columns.text("Timezone", o -> Cells.textAt(o, "spec", "timeZone")),
                  Columns.text(
                      "Suspend",
                      o -> Cells.at(o, "spec", "suspend").asBoolean() ? "True" : "False"),
                  Columns.number("Active", o -> Cells.size(o, "status", "active")),
                  Columns.text(
                      "Last Schedule", o -> MoreCells.since(o, "status", "lastScheduleTime")),
                  Columns.wide("Containers", o -> MoreCells.jobContainers(o, "name")),
                  Columns.wide("Images", o -> MoreCells.jobContainers(o, "image")),
                  Columns.wide("Selector", o -> Cells.NONE))),
          entry(
              "networking.k8s.io/ingresses",
              List.of(
                  Columns.text("Class", o -> Cells.textAt(o, "spec", "ingressClassName")),
                  Columns.text("Hosts", MoreCells::hosts),
                  Columns.text("Address", MoreCells::ingressAddress),
                  Columns.text(
                      "Ports", o -> o.path("spec").path("tls").isEmpty() ? "80" : "80, 443"))),
          entry(
              "networking.k8s.io/ingressclasses",
              List.of(
                  Columns.text("Controller", o -> Cells.textAt(o, "spec", "controller")),
                  Columns.text("Parameters", o -> Cells.textAt(o, "spec", "parameters", "name")))),
          entry(
              "networking.k8s.io/networkpolicies",
              List.of(
                  Columns.text(
                      "Pod-Selector", o -> MoreCells.selector(o.at("/spec/podSelector"))))),
          entry(
              "autoscaling/horizontalpodautoscalers",
              List.of(
                  Columns.text("Reference", MoreCells::scaleTarget),
                  Columns.text("Targets", o -> "<unknown>"),
                  Columns.text("MinPods", o -> Cells.at(o, "spec", "minReplicas").asText("1")),
                  Columns.count("MaxPods", o -> Cells.intAt(o, "spec", "maxReplicas")),
                  Columns.count("Replicas", o -> Cells.intAt(o, "status", "currentReplicas")))),
          entry(
              "policy/poddisruptionbudgets",
              List.of(
                  Columns.text("Min Available", o -> MoreCells.orNone(o, "minAvailable")),
                  Columns.text("Max Unavailable", o -> MoreCells.orNone(o, "maxUnavailable")),
                  Columns.number(
                      "Allowed Disruptions", o -> Cells.intAt(o, "status", "disruptionsAllowed")))),
          entry(
              "/persistentvolumeclaims",
              List.of(
                  Columns.text("Status", o -> MoreCells.plain(o, "status", "phase")),
                  Columns.text("Volume", o -> MoreCells.plain(o, "spec", "volumeName")),
                  Columns.text(
                      "Capacity", o -> MoreCells.plain(o, "status", "capacity", "storage")),
                  Columns.text("Access Modes", o -> MoreCells.accessModes(o, "status")),
                  Columns.text("StorageClass", o -> MoreCells.plain(o, "spec", "storageClassName")),
                  Columns.text("VolumeAttributesClass", o -> "<unset>"),
                  Columns.wide("VolumeMode", o -> Cells.textAt(o, "spec", "volumeMode")))),
          entry(
              "/persistentvolumes",
              List.of(
                  Columns.text("Capacity", o -> MoreCells.plain(o, "spec", "capacity", "storage")),
                  Columns.text("Access Modes", o -> MoreCells.accessModes(o, "spec")),
                  Columns.text(
                      "Reclaim Policy",
                      o -> MoreCells.plain(o, "spec", "persistentVolumeReclaimPolicy")),
                  Columns.text("Status", o -> MoreCells.plain(o, "status", "phase")),
                  Columns.text("Claim", o -> MoreCells.plain(o, "spec", "claimRef", "name")),
                  Columns.text("StorageClass", o -> MoreCells.plain(o, "spec", "storageClassName")),
                  Columns.text("VolumeAttributesClass", o -> "<unset>"),
                  Columns.text("Reason", o -> MoreCells.plain(o, "status", "reason")),
                  Columns.wide("VolumeMode", o -> Cells.textAt(o, "spec", "volumeMode")))),
          entry(
              "storage.k8s.io/storageclasses",
              List.of(
                  Columns.text("Provisioner", o -> MoreCells.plain(o, "provisioner")),
                  Columns.text("ReclaimPolicy", o -> MoreCells.plain(o, "reclaimPolicy")),
                  Columns.text("VolumeBindingMode", o -> MoreCells.plain(o, "volumeBindingMode")),
                  Columns.text(
                      "AllowVolumeExpansion",
                      o -> Boolean.toString(o.path("allowVolumeExpansion").asBoolean())))),
          entry(
              "scheduling.k8s.io/priorityclasses",
              List.of(
                  Columns.number("Value", o -> Cells.intAt(o, "value")),
                  new Columns.Column(
                      "Global-Default",
                      "boolean",
                      "",
                      "",
                      0,
                      o -> Json.parse(Boolean.toString(o.path("globalDefault").asBoolean()))))),
          entry(
              "/resourcequotas",
              List.of(
                  Columns.text("Request", o -> MoreCells.quota(o, false)),
                  Columns.text("Limit", o -> MoreCells.quota(o, true)))),
          entry("/endpoints", List.of(Columns.text("Endpoints", MoreCells::endpoints))),
          entry(
              "discovery.k8s.io/endpointslices",
              List.of(
                  Columns.text("AddressType", o -> MoreCells.plain(o, "addressType")),
                  Columns.text("Ports", MoreCells::slicePorts),
                  Columns.text("Endpoints", MoreCells::sliceAddresses))),
          entry(
              "coordination.k8s.io/leases",
              List.of(
                  Columns.text("Holder", o -> Cells.at(o, "spec", "holderIdentity").asText("")))),
          entry(
              "rbac.authorization.k8s.io/rolebindings",
              List.of(Columns.text("Role", BuiltinColumns::roleRef))),
          entry(
              "rbac.authorization.k8s.io/clusterrolebindings",
              List.of(Columns.text("Role", BuiltinColumns::roleRef))),
          Map.entry(
              "apiextensions.k8s.io/customresourcedefinitions",
              List.of(
                  new Columns.Column(
                      "Name", "string", "name", "", 0, o -> Json.text(Cells.name(o))),
                  new Columns.Column(
                      "Created At",
                      "date",
                      "",
                      "",
                      0,
                      o -> Json.text(Cells.textAt(o, "metadata", "creationTimestamp"))))));

  private BuiltinColumns() {}

  private static Map.Entry<String, List<Columns.Column>> entry(
      String storage, List<Columns.Column> middle) {
    return Map.entry(storage, Columns.withNameAndAge(middle));
  }

  private static Columns.Column number(String heading, String... path) {
    return Columns.count(
        heading, o -> Json.mapper().getNodeFactory().numberNode(Cells.at(o, path).size()));
  }

  private static Columns.Column data(String heading) {
    return new Columns.Column(
        heading,
        "string",
        "",
        "",
        0,
        o ->
            Json.mapper()
                .getNodeFactory()
                .numberNode(o.path("data").size() + o.path("binaryData").size()));
  }

  private static String ratio(ObjectNode o, String ready) {
    return Cells.intAt(o, "status", ready).asText()
        + "/"
        + Cells.intAt(o, "spec", "replicas").asText();
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
    return ports.isEmpty() ? Cells.NONE : ports.stream().collect(Collectors.joining(","));
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

  private static String roleRef(ObjectNode binding) {
    return Cells.textAt(binding, "roleRef", "kind")
        + "/"
        + Cells.textAt(binding, "roleRef", "name");
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
    return Json.text(object, "kind").toLowerCase(java.util.Locale.ROOT)
        + "/"
        + Json.text(object, "name");
  }

  private static String first(ObjectNode o, String a, String b) {
    return o.has(a) ? Cells.textAt(o, a) : Cells.textAt(o, b);
  }
}
