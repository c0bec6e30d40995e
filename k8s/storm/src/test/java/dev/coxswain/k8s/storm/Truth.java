// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Compares what the server holds with what writers, controllers, caches and handlers believe.
 *
 * <p>Thread rule: immutable; what it was made from must be at rest to be meaningful.
 */
final class Truth {

  /** The laws, in the words of the verdict. */
  static final String ACKNOWLEDGED = "every acknowledged write is on the server";

  static final String RECONCILED = "every object's last generation was reconciled";
  static final String CACHES = "every cache equals the server";
  static final String DELETES = "no handler missed a delete";

  private static final String UNKNOWN_FIELDS = "coxswainUnknown";
  private static final int SHOWN = 5;

  private final Map<Request, Ship> ships = new HashMap<>();
  private final Map<Request, Unstructured> anyShips = new HashMap<>();
  private final Map<Request, V1ConfigMap> children = new HashMap<>();
  private final Writers writers;
  private final Captains captains;
  private final Map<String, Law> laws = new LinkedHashMap<>();

  /** What was looked at under one law, and what was wrong. */
  static final class Law {
    private long checked;
    private long broken;
    private final List<String> problems = new ArrayList<>();

    private void check(boolean holds, String subject, Object expected, Object found) {
      checked++;
      if (!holds) {
        broken++;
        if (problems.size() < SHOWN) {
          problems.add(subject + ": expected " + expected + ", found " + found);
        }
      }
    }

    boolean holds() {
      return broken == 0;
    }

    /** Returns the line of the verdict. */
    String line(String law) {
      return (holds() ? "PASS  " : "FAIL  ")
          + law
          + " ("
          + checked
          + " checked"
          + (holds() ? ")" : ", " + broken + " broken): " + String.join("; ", problems));
    }
  }

  private Truth(Writers writers, Captains captains) {
    this.writers = writers;
    this.captains = captains;
  }

  /** Reads everything from the server and compares. */
  static Truth of(Kubernetes k8s, Fleet fleet, Writers writers, Captains captains) {
    Truth truth = new Truth(writers, captains);
    for (String namespace : fleet.namespaces()) {
      ListOptions here = ListOptions.ALL.inNamespace(namespace);
      fill(truth.ships, k8s.resource(fleet.ships()), here);
      fill(truth.anyShips, k8s.resource(fleet.anyShips()), here);
      fill(truth.children, k8s.resource(V1ConfigMap.class), here.labels(fleet.childSelector()));
    }
    truth.acknowledged();
    truth.reconciled();
    truth.cached();
    truth.told();
    return truth;
  }

  private static <T extends KubernetesObject> void fill(
      Map<Request, T> found, Resource<T> resource, ListOptions options) {
    resource.list(options).forEach(object -> found.put(resource.key(object), object));
  }

  boolean holds() {
    return laws.values().stream().allMatch(Law::holds);
  }

  /** Returns a line for each law. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    laws.forEach((name, law) -> lines.add(law.line(name)));
    return lines;
  }

  private Law law(String name) {
    return laws.computeIfAbsent(name, unknown -> new Law());
  }

  private void acknowledged() {
    Law law = law(ACKNOWLEDGED);
    for (Slot slot : writers.slots()) {
      Ship ship = ships.get(slot.key());
      String expected =
          slot.present() ? slot.uid() + " " + slot.value() + " " + slot.hot() : "none";
      String found =
          ship == null ? "none" : ship.uid() + " " + ship.wanted().value() + " " + ship.hot();
      law.check(found.equals(expected), slot.key().toString(), expected, found);
    }
  }

  private void reconciled() {
    Law law = law(RECONCILED);
    Set<String> guarded = new HashSet<>();
    Map<Request, Captains.Seen> hot = new HashMap<>();
    Map<Request, Ship> parents = new HashMap<>();
    ships.forEach((key, ship) -> {
      Ship.Spec spec = ship.wanted();
      Ship.Status status = ship.status;
      law.check(
          status != null
              && Objects.equals(status.observedGeneration(), ship.generation())
              && Objects.equals(status.value(), spec.value())
              && spec.guarded() == Finalizers.has(ship, Fleet.FINALIZER),
          "status of " + key,
          "generation " + ship.generation() + " of " + spec,
          ship.content());
      if (spec.guarded()) {
        guarded.add(ship.uid());
      }
      if (ship.hot()) {
        hot.put(key, new Captains.Seen(ship.uid(), ship.generation(), spec.value()));
      }
      if (ship.crew()) {
        parents.put(Captains.childOf(key), ship);
      }
    });
    compare(law, "finalizer of", keysOf(guarded), keysOf(captains.held()));
    compare(law, "copy of", hot, captains.seen());
    union(parents.keySet(), children.keySet())
        .forEach(key -> {
          Ship parent = parents.get(key);
          V1ConfigMap child = children.get(key);
          law.check(
              parent != null && child != null && Captains.isChild(child, parent),
              "child " + key,
              parent == null ? "none" : parent.content(),
              child == null ? "none" : child);
        });
  }

  private void cached() {
    Law law = law(CACHES);
    compare(law, "all ships", contents(ships, ship -> true), contents(captains.all().list()));
    compare(law, "parents", contents(ships, Ship::crew), contents(captains.parents().list()));
    compare(
        law,
        "hot ships",
        values(anyShips.values().stream().filter(ship -> isHot(ship)).toList(), Truth::bare),
        values(captains.hot().list(), Truth::bare));
    compare(
        law,
        "children",
        values(children.values(), V1ConfigMap::toString),
        values(captains.cachedChildren(), V1ConfigMap::toString));
  }

  private static boolean isHot(Unstructured ship) {
    return ship.at("metadata", "labels", Fleet.HOT)
        .filter(v -> v.getAsString().equals("true"))
        .isPresent();
  }

  private static String bare(Unstructured ship) {
    JsonObject json = ship.json();
    json.getAsJsonObject("metadata").remove("managedFields");
    return withoutUnknownFields(json).toString();
  }

  /** What the fault of that name added is kept by an unstructured cache, as it must be. */
  private static JsonElement withoutUnknownFields(JsonElement json) {
    if (json instanceof JsonObject object) {
      object.keySet().removeIf(name -> name.startsWith(UNKNOWN_FIELDS));
      object.asMap().values().forEach(Truth::withoutUnknownFields);
    } else if (json instanceof JsonArray array) {
      array.forEach(Truth::withoutUnknownFields);
    }
    return json;
  }

  private void told() {
    Law law = law(DELETES);
    tell(law, captains.allLedger(), uids(ships.values(), ship -> true));
    tell(law, captains.hotLedger(), uids(ships.values(), Ship::hot));
    tell(law, captains.parentLedger(), uids(ships.values(), Ship::crew));
    for (String namespace :
        children.keySet().stream().map(Request::namespace).distinct().toList()) {
      tell(
          law,
          captains.childLedger(namespace),
          uids(children.values(), child -> namespace.equals(metadata(child).getNamespace())));
    }
  }

  /** All its live objects exist, and all deletions were delivered. */
  private void tell(Law law, Ledger ledger, Map<Request, String> alive) {
    ledger.problems().forEach(problem -> law.check(false, ledger.name(), "lawful events", problem));
    compare(law, ledger.name(), alive, ledger.known());
    for (String uid : writers.goneUids()) {
      law.check(
          ledger.adds(uid) == ledger.deletes(uid),
          ledger.name() + ", deleted uid " + uid,
          ledger.adds(uid) + " deletes",
          ledger.deletes(uid));
    }
  }

  private static <T extends KubernetesObject> Map<Request, String> uids(
      Collection<T> objects, Predicate<T> selected) {
    return values(
        objects.stream().filter(selected).toList(),
        object -> Objects.requireNonNull(metadata(object).getUid()));
  }

  private static Map<Request, String> contents(Map<Request, Ship> ships, Predicate<Ship> selected) {
    return contents(ships.values().stream().filter(selected).toList());
  }

  private static Map<Request, String> contents(Collection<Ship> ships) {
    return values(ships, Ship::content);
  }

  private static <T extends KubernetesObject> Map<Request, String> values(
      Collection<T> objects, Function<T, String> value) {
    Map<Request, String> found = new HashMap<>();
    for (T object : objects) {
      V1ObjectMeta metadata = metadata(object);
      found.put(
          Request.of(
              Objects.requireNonNull(metadata.getNamespace()),
              Objects.requireNonNull(metadata.getName())),
          value.apply(object));
    }
    return found;
  }

  private static V1ObjectMeta metadata(KubernetesObject object) {
    return Objects.requireNonNull(object.getMetadata(), "every stored object has metadata");
  }

  private static Map<String, Boolean> keysOf(Set<String> set) {
    Map<String, Boolean> map = new HashMap<>();
    set.forEach(one -> map.put(one, true));
    return map;
  }

  private static <K> Set<K> union(Set<K> one, Set<K> other) {
    Set<K> all = new HashSet<>(one);
    all.addAll(other);
    return all;
  }

  private static <K, V> void compare(Law law, String what, Map<K, V> expected, Map<K, V> found) {
    for (K key : union(expected.keySet(), found.keySet())) {
      V wanted = expected.get(key);
      V got = found.get(key);
      law.check(
          Objects.equals(wanted, got),
          what + " " + key,
          wanted == null ? "none" : wanted,
          got == null ? "none" : got);
    }
  }
}
