// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.ResourceType;
import java.util.List;
import java.util.Locale;

/**
 * The names of one run. Everything carries the suffix of the run, so that runs neither see nor
 * touch each other or anything else in a cluster.
 *
 * <p>Thread rule: immutable.
 *
 * @param suffix what makes the names of this run its own
 */
record Fleet(String suffix) {

  /** Flipped by the writers; the unstructured controller selects by it. */
  static final String HOT = "storm.coxswain.dev/hot";

  /** Set for good at creation; ships with a crew have a child. */
  static final String CREW = "storm.coxswain.dev/crew";

  /** On every child, with the suffix of the run. */
  static final String CHILD = "storm.coxswain.dev/child";

  /** On whatever belongs to the run as a whole. */
  static final String RUN = "storm.coxswain.dev/run";

  static final String FINALIZER = "storm.coxswain.dev/guard";

  static Fleet ofSeed(long seed) {
    // Two runs with one seed may be at one cluster at the same time.
    return new Fleet(
        Long.toString(Math.floorMod(seed ^ System.nanoTime(), 60_466_176L) + 60_466_176L, 36)
            .toLowerCase(Locale.ROOT));
  }

  String group() {
    return "storm-" + suffix + ".coxswain.dev";
  }

  List<String> namespaces() {
    return List.of("storm-" + suffix + "-a", "storm-" + suffix + "-b");
  }

  String definitionName() {
    return "ships." + group();
  }

  ResourceType<Ship> ships() {
    return new ResourceType<>(group(), "v1", "ships", "Ship", true, Ship.class);
  }

  ResourceType<Unstructured> anyShips() {
    return ResourceType.unstructured(group(), "v1", "ships", "Ship", true);
  }

  String childSelector() {
    return CHILD + "=" + suffix;
  }

  /** The definition of the ships, in JSON. */
  String definition() {
    return """
    {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
     "metadata": {"name": "%s", "labels": {"%s": "%s"}},
     "spec": {"group": "%s", "scope": "Namespaced",
      "names": {"kind": "Ship", "listKind": "ShipList", "plural": "ships", "singular": "ship"},
      "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
       "schema": {"openAPIV3Schema": {"type": "object", "required": ["spec"], "properties": {
        "spec": {"type": "object", "required": ["value"], "properties": {
         "value": {"type": "integer", "format": "int64"}, "guarded": {"type": "boolean"}}},
        "status": {"type": "object", "properties": {
         "observedGeneration": {"type": "integer", "format": "int64"},
         "value": {"type": "integer", "format": "int64"}, "note": {"type": "string"}}}}}}}]}}
    """
        .formatted(definitionName(), RUN, suffix, group());
  }
}
