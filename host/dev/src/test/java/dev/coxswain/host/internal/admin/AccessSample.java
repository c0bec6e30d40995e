// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import java.util.ArrayList;
import java.util.List;

/** One request to the admin API and the right that it needs. */
record AccessSample(
    String route,
    String path,
    String body,
    String verb,
    String resource,
    String namespace,
    String name) {
  static final String ITEMS = "controllers/items";
  private static final String OPERATIONS = "controllers/operations";

  /** Returns a sample of every route, for two controllers in two namespaces and in all of them. */
  static List<AccessSample> all() {
    List<AccessSample> all = new ArrayList<>();
    String reason = "{\"reason\":\"x\"}";
    all.add(new AccessSample("GET /controllers", "", "", "list", "controllers", "", ""));
    all.add(new AccessSample("GET /stats", "", "", "list", "controllers", "", ""));
    all.add(new AccessSample("GET /audit", "", "", "list", "audit", "", ""));
    all.add(new AccessSample("GET /changes", "", "", "list", "audit", "", ""));
    // There is none: what is needed for one is another test's matter.
    all.add(new AccessSample("POST /changes/{q}/undo", "", reason, "pause", "controllers", "", ""));
    all.add(new AccessSample("GET /timeline", "", "", "list", "audit", "", ""));
    String op = "/operations/{op}"; // there is none: whose it would be is another test's matter
    all.add(new AccessSample("GET " + op, "", "", "get", OPERATIONS, "", ""));
    all.add(new AccessSample("DELETE " + op, "", reason, "stop", OPERATIONS, "", ""));
    all.add(new AccessSample("GET /operations", "", "", "list", OPERATIONS, "", ""));
    all.add(new AccessSample("GET /limiters", "", "", "list", "limiters", "", ""));
    all.add(new AccessSample("GET /limiters/{l}", "", "", "get", "limiters", "", "default"));
    for (String route : List.of("PATCH /limiters/{l}", "PUT /limiters/{l}/override")) {
      String rate = "{\"rate\":1,\"ttl\":\"1m\",\"reason\":\"x\"}";
      all.add(new AccessSample(route, "", rate, "tune", "limiters", "", "default"));
    }
    all.add(
        new AccessSample(
            "DELETE /limiters/{l}/override", "", reason, "tune", "limiters", "", "default"));
    all.add(new AccessSample("GET /causes", "", "", "list", ITEMS, "", ""));
    all.add(new AccessSample("GET /replicas", "", "", "list", "replicas", "", ""));
    all.add(new AccessSample("GET /caches", "", "", "list", "replicas", "", ""));
    all.add(new AccessSample("GET /plugins", "", "", "list", "plugins", "", ""));
    all.add(new AccessSample("GET /plugins/{p}", "", "", "get", "plugins", "", "copier"));
    for (String verb : List.of("deploy", "stop", "redeploy")) {
      all.add(
          new AccessSample("POST /plugins/{p}/" + verb, "", reason, verb, "plugins", "", "copier"));
    }
    all.add(new AccessSample("GET /config", "", "", "list", "config", "", ""));
    all.add(new AccessSample("GET /slots", "", "", "list", "slots", "", ""));
    for (String method : List.of("POST", "DELETE")) {
      all.add(
          new AccessSample(
              method + " /replicas/{r}/drain", "", reason, "drain", "replicas", "", ""));
    }
    all.add(new AccessSample("DELETE /slots", "", reason, "update", "slots", "", ""));
    all.add(new AccessSample("GET /events", "", "", "list", "events", "", ""));
    for (String c : List.of("checkout", "other")) {
      all.add(new AccessSample("GET /controllers/{c}", "", "", "get", "controllers", "", c));
      all.add(new AccessSample("GET /controllers/{c}/causes", "", "", "list", ITEMS, "", c));
      all.add(new AccessSample("GET /controllers/{c}/causes/{x}", "", "", "list", ITEMS, "", c));
      all.add(new AccessSample("GET /controllers/{c}/stats", "", "", "get", "controllers", "", c));
      for (String route : List.of("PATCH /controllers/{c}", "PUT /controllers/{c}/scale")) {
        String scale = "{\"maxConcurrent\":1,\"reason\":\"x\"}";
        all.add(new AccessSample(route, "", scale, "tune", "controllers", "", c));
      }
      for (String verb : List.of("pause", "resume")) {
        all.add(
            new AccessSample(
                "POST /controllers/{c}/" + verb, "", reason, verb, "controllers", "", c));
      }
      for (String namespace : List.of("payments", "shop", "")) {
        all.addAll(inNamespace(c, namespace, reason));
      }
    }
    return all;
  }

  private static List<AccessSample> inNamespace(String c, String namespace, String reason) {
    List<AccessSample> all = new ArrayList<>();
    String query = namespace.isEmpty() ? "" : "?namespace=" + namespace;
    String field = namespace.isEmpty() ? "" : "\"namespace\":\"" + namespace + "\",";
    all.add(new AccessSample("GET /controllers/{c}/items", query, "", "list", ITEMS, namespace, c));
    all.add(
        new AccessSample(
            "GET /operations",
            "?controller=" + c + query.replace('?', '&'),
            "",
            "list",
            OPERATIONS,
            namespace,
            c));
    all.add(
        new AccessSample(
            "POST /controllers/{c}/items",
            "",
            "{" + field + "\"name\":\"new\",\"reason\":\"x\"}",
            "enqueue",
            ITEMS,
            namespace,
            c));
    // Of one controller: without a name, those that the caller has no right to are left out.
    all.add(
        new AccessSample(
            "GET /objects",
            "?name=one&controller=" + c + query.replace('?', '&'),
            "",
            "get",
            ITEMS,
            namespace,
            c));
    String selector =
        namespace.isEmpty() ? "\"all\":true" : "\"selector\":{\"namespace\":\"" + namespace + "\"}";
    for (String verb : List.of("retry", "forget", "requeue", "flush", "flushhard")) {
      String then = verb.equals("flushhard") ? "\"then\":\"none\"," : "";
      String delay = verb.equals("requeue") ? "\"delay\":\"1s\"," : "";
      all.add(
          new AccessSample(
              "POST /controllers/{c}/operations",
              "",
              "{\"action\":\""
                  + (verb.equals("flushhard") ? "flush" : verb)
                  + "\","
                  + then
                  + delay
                  + "\"dryRun\":true,"
                  + selector
                  + "}",
              verb,
              OPERATIONS,
              namespace,
              c));
    }
    String item = "/controllers/{c}/items/{id}";
    all.add(new AccessSample("GET " + item, "", "", "get", ITEMS, namespace, c));
    all.add(new AccessSample("GET " + item + "/explain", "", "", "get", ITEMS, namespace, c));
    all.add(new AccessSample("DELETE " + item, "", reason, "drop", ITEMS, namespace, c));
    for (String verb : List.of("retry", "forget", "requeue")) {
      String body = verb.equals("requeue") ? "{\"delay\":\"1s\",\"reason\":\"x\"}" : reason;
      all.add(new AccessSample("POST " + item + "/" + verb, "", body, verb, ITEMS, namespace, c));
    }
    return all;
  }
}
