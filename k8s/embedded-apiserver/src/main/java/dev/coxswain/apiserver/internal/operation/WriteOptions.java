// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.admission.Admission;
import dev.coxswain.apiserver.internal.conversion.ConversionCache;
import dev.coxswain.apiserver.internal.resource.ServedResource;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.store.ObjectCollection;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.store.StoredObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Options of one write; immutable apart from its warnings, used on the server's event loop.
 *
 * @param dryRun answer as if done, store nothing
 * @param manager field manager as given, empty = none
 * @param fallbackManager manager derived from the user agent
 * @param validation {@code Strict}, {@code Warn} or {@code Ignore}
 * @param force take fields over from other appliers; null = not given
 * @param warnings texts for {@code Warning} headers, filled while working
 * @param admission the webhooks of this request
 */
public record WriteOptions(
    boolean dryRun,
    String manager,
    String fallbackManager,
    String validation,
    @Nullable Boolean force,
    List<String> warnings,
    Admission admission) {

  /** Options of writes that the server makes itself. */
  public static WriteOptions internal(String manager) {
    return new WriteOptions(
        false, manager, manager, "Ignore", null, new ArrayList<>(), Admission.NONE);
  }

  /** Returns the same options for a write that no webhook sees. */
  WriteOptions unreviewed() {
    return new WriteOptions(
        dryRun, manager, fallbackManager, validation, force, warnings, admission.closed());
  }

  /** Returns an existing object in the version of a request, with kind and apiVersion. */
  ObjectNode tree(ServedResource resource, StoredObject object) {
    return admission.conversions().tree(resource, object);
  }

  /**
   * Stores a new state of the version of a request.
   *
   * @param write stores the state, which it gets in the stored version
   * @return what was stored, in the version of the request
   */
  StoredObject store(
      ServedResource resource,
      ObjectCollection collection,
      ObjectNode object,
      Function<ObjectNode, StoredObject> write) {
    if (!resource.converted()) {
      return write.apply(object);
    }
    ConversionCache conversions = admission.conversions();
    object.put("kind", resource.type().kind()).put("apiVersion", resource.apiVersion());
    ObjectNode stored = conversions.stored(resource, object);
    ObjectNode shown = conversions.back(resource, stored); // before anything is stored
    return ObjectStore.preview(collection, shown, write.apply(stored.deepCopy()).version());
  }

  /** Returns the time of this write, the same however often its request is handled. */
  String now(ObjectStore store) {
    return admission.once("now", store.times()::now);
  }

  /** The manager under which ownership is recorded. */
  public String owner() {
    return manager.isEmpty() ? fallbackManager : manager;
  }

  /**
   * Reads and checks the options of a request.
   *
   * @param kind name of the option kind, as in {@code CreateOptions}
   * @param query returns a query parameter or null
   * @param userAgent user agent of the client, may be null
   * @param admission the webhooks of this request
   */
  public static WriteOptions parse(
      String kind,
      Function<String, @Nullable String> query,
      @Nullable String userAgent,
      Admission admission) {
    Causes causes = new Causes();
    String dryRun = ListQuery.or(query.apply("dryRun"));
    if (!dryRun.isEmpty() && !dryRun.equals("All")) {
      causes.at("dryRun").unsupported("[" + Cause.quote(dryRun) + "]", "All");
    }
    String validation = ListQuery.or(query.apply("fieldValidation"));
    if (!List.of("", "Ignore", "Strict", "Warn").contains(validation)) {
      causes.at("fieldValidation", validation).notSupported("", "Ignore", "Strict", "Warn");
    }
    String manager = ListQuery.or(query.apply("fieldManager"));
    if (bytes(manager) > 128) {
      causes.at("fieldManager").tooLong(128);
    }
    manager
        .codePoints()
        .filter(c -> !printable(c))
        .findFirst()
        .ifPresent(c ->
            causes
                .at("fieldManager", manager)
                .invalidText(
                    "invalid character U+%04X (at position %d)"
                        .formatted(c, bytes(manager.substring(0, manager.indexOf(c))))));
    String force = query.apply("force");
    causes.throwIfAny(new ApiException.Names("meta.k8s.io", kind), "");
    String agent = ListQuery.or(userAgent);
    int slash = agent.indexOf('/');
    return new WriteOptions(
        !dryRun.isEmpty(),
        manager,
        slash < 0 ? (agent.isEmpty() ? "unknown" : agent) : agent.substring(0, slash),
        validation.isEmpty() ? "Warn" : validation,
        force == null ? null : ListQuery.flag(force),
        new ArrayList<>(),
        admission);
  }

  /** Letters, marks, numbers, punctuation, symbols and the plain space. */
  private static boolean printable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.PRIVATE_USE,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          false;
      case Character.SPACE_SEPARATOR -> c == ' ';
      default -> true;
    };
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
