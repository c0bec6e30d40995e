// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.metrics.WebhookMetrics;
import dev.coxswain.k8s.webhook.ConversionWebhook;
import dev.coxswain.k8s.webhook.ServedWebhook;
import dev.coxswain.k8s.webhook.Webhooks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks that this replica serves: those of the class path, and those of plug-ins, which come,
 * change and go while it runs. All webhooks of an owner change at once, so a call finds those of
 * before or those of after. A path and the conversion of a kind belong to one owner.
 *
 * <p>Thread rule: any thread.
 */
final class WebhookDirectory {

  /** The owner of the webhooks of the class path; no plug-in has this name. */
  static final String CLASS_PATH = "";

  /** The limit of the controllers that are kept because they had webhooks. */
  private static final int MAX_FORMER = 10_000;

  private final HostMetrics metrics;
  private final Map<String, Map<String, Webhooks>> owners = new LinkedHashMap<>();
  private final Set<String> callbacks = new HashSet<>();
  private final Set<String> former = new HashSet<>();
  private volatile Map<String, Entry> served = Map.of();
  private volatile long version;

  /**
   * A webhook that is served.
   *
   * @param metrics its meters
   */
  record Entry(ServedWebhook webhook, WebhookMetrics metrics) {}

  WebhookDirectory(HostMetrics metrics) {
    this.metrics = metrics;
  }

  /** Returns what serves a path, or null. */
  @Nullable Entry find(@Nullable String path) {
    return path == null ? null : served.get(path);
  }

  boolean isEmpty() {
    return served.isEmpty();
  }

  /** Returns a number that grows with each change. */
  long version() {
    return version;
  }

  /** Returns the webhooks of all owners by controller. */
  synchronized Map<String, Webhooks> byController() {
    Map<String, Webhooks> all = new LinkedHashMap<>();
    owners.values().forEach(all::putAll);
    return all;
  }

  /** Returns the names of controllers that had webhooks in this process, and have none now. */
  synchronized Set<String> former() {
    return Set.copyOf(former);
  }

  /**
   * Returns why an owner cannot have webhooks instead of its present ones; empty when it can.
   *
   * @param next the webhooks by controller
   */
  synchronized String clash(String owner, Map<String, Webhooks> next) {
    Map<String, String> converting = new HashMap<>();
    owners.forEach((other, webhooks) -> {
      if (!other.equals(owner)) {
        webhooks.forEach((controller, one) ->
            one.conversion().forEach(kind -> converting.put(kind.definition(), controller)));
      }
    });
    for (Map.Entry<String, Webhooks> one : next.entrySet()) {
      for (ConversionWebhook conversion : one.getValue().conversion()) {
        String other = converting.put(conversion.definition(), one.getKey());
        if (other != null) {
          return "controllers \"%s\" and \"%s\" both convert %s, and a kind has one conversion; remove one of them"
              .formatted(other, one.getKey(), conversion.definition());
        }
      }
      for (ServedWebhook webhook : all(one.getValue())) {
        if (callbacks.contains(webhook.path())) {
          return "the path \"%s\" of a webhook of controller \"%s\" is that of an HTTP callback; give the callback another one"
              .formatted(webhook.path(), one.getKey());
        }
      }
    }
    return "";
  }

  /**
   * Replaces the webhooks of an owner, unless they clash with others.
   *
   * @param next the webhooks by controller
   * @param forgotten whether those that it has no more are gone on purpose, so that their
   *     configurations are deleted
   * @return why nothing was replaced; empty when it was
   */
  synchronized String replace(String owner, Map<String, Webhooks> next, boolean forgotten) {
    Map<String, Webhooks> present = owners.getOrDefault(owner, Map.of());
    String clash = clash(owner, next);
    if (!clash.isEmpty() || present.equals(next)) {
      return clash;
    }
    if (next.isEmpty()) {
      owners.remove(owner);
    } else {
      owners.put(owner, Map.copyOf(next));
    }
    former.removeAll(next.keySet());
    if (forgotten && former.size() < MAX_FORMER) {
      present.keySet().stream().filter(one -> !next.containsKey(one)).forEach(former::add);
    }
    serve();
    version++;
    return "";
  }

  private void serve() {
    Map<String, Entry> before = served;
    Map<String, Entry> now = new HashMap<>();
    for (Webhooks webhooks : byController().values()) {
      for (ServedWebhook webhook : all(webhooks)) {
        Entry known = before.get(webhook.path());
        now.put(
            webhook.path(),
            new Entry(webhook, known == null ? metrics.webhook(webhook.path()) : known.metrics()));
      }
    }
    served = Map.copyOf(now);
    before.forEach((path, entry) -> {
      if (!now.containsKey(path)) {
        entry.metrics().close();
      }
    });
  }

  private static List<ServedWebhook> all(Webhooks webhooks) {
    List<ServedWebhook> all = new ArrayList<>(webhooks.admission());
    all.addAll(webhooks.conversion());
    return all;
  }

  /** Keeps a path for an HTTP callback; returns false when it is in use. */
  synchronized boolean claim(String path) {
    return !served.containsKey(path) && callbacks.add(path);
  }

  /** Gives the path of an HTTP callback back. */
  synchronized void unclaim(String path) {
    if (callbacks.remove(path)) {
      version++;
    }
  }
}
