// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.reconcile.AsyncReconciler;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.Presence;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A named reconciler with the sources that feed it: everything needed to run it.
 *
 * <p>Thread rule: immutable. A controller is run once, since its sources are.
 *
 * @param <K> the type of its requests
 */
public final class Controller<K> {

  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");

  private final String name;
  private final RequestFormat<K> format;
  private final ReconcileBody<K> body;
  private final List<EventSource<K>> sources;
  private final ControllerOptions options;

  private Controller(Builder<K> builder, ReconcileBody<K> body) {
    this.name = builder.name;
    this.format = builder.format;
    this.body = body;
    this.sources = List.copyOf(builder.sources);
    this.options = builder.options;
  }

  /**
   * Begins a controller whose requests name Kubernetes objects.
   *
   * @param name a DNS label, unique in the host
   */
  public static Builder<Request> named(String name) {
    return named(name, RequestFormat.ofRequest());
  }

  /**
   * Begins a controller with requests of another type.
   *
   * @param name a DNS label, unique in the host
   * @param format how requests are shown
   */
  public static <K> Builder<K> named(String name, RequestFormat<K> format) {
    return new Builder<>(name, format);
  }

  /** Returns the name. */
  public String name() {
    return name;
  }

  /** Returns how requests are shown. */
  public RequestFormat<K> format() {
    return format;
  }

  /** Returns the sources, in the order in which they were added. */
  public List<EventSource<K>> sources() {
    return sources;
  }

  /** Returns the options. */
  public ControllerOptions options() {
    return options;
  }

  /** Returns this controller with other options, for instance those of the host's configuration. */
  public Controller<K> withOptions(UnaryOperator<ControllerOptions> change) {
    Builder<K> builder = new Builder<>(name, format);
    builder.sources.addAll(sources);
    builder.options = change.apply(options);
    return new Controller<>(builder, body);
  }

  public ReconcileBody<K> body() {
    return body;
  }

  /**
   * A builder of a controller.
   *
   * <p>Thread rule: one thread.
   */
  public static final class Builder<K> {
    private final String name;
    private final RequestFormat<K> format;
    private final List<EventSource<K>> sources = new ArrayList<>();
    private ControllerOptions options = ControllerOptions.DEFAULT;

    private Builder(String name, RequestFormat<K> format) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "controller name \""
                + name
                + "\" is not a DNS label: use a-z, 0-9 and '-', at most 63");
      }
      this.name = name;
      this.format = Objects.requireNonNull(format, "format");
    }

    /** Adds a source. */
    public Builder<K> watches(EventSource<K> source) {
      sources.add(Objects.requireNonNull(source, "source"));
      return this;
    }

    /** Changes the options, which are {@link ControllerOptions#DEFAULT} at first. */
    public Builder<K> options(UnaryOperator<ControllerOptions> change) {
      options = change.apply(options);
      return this;
    }

    /** Builds a controller with a reconciler in plain blocking Java. */
    public Controller<K> reconciles(Reconciler<K> reconciler) {
      return new Controller<>(this, new ReconcileBody.Blocking<>(reconciler));
    }

    /** Builds a controller with a reconciler that never blocks. */
    public Controller<K> reconcilesAsync(AsyncReconciler<K> reconciler) {
      return new Controller<>(this, new ReconcileBody.Async<>(reconciler));
    }
  }

  @Override
  public String toString() {
    return "Controller[" + name + "]";
  }

  /**
   * Returns a test for requests whose object in a source has certain labels; empty when no source
   * holds objects.
   *
   * @throws IllegalArgumentException when the selector cannot be parsed
   */
  public Optional<Predicate<K>> selecting(String labelSelector) {
    Optional<Predicate<K>> any = Optional.empty();
    for (EventSource<K> source : sources) {
      Optional<Predicate<K>> one = source.selecting(labelSelector);
      any = any.isEmpty() || one.isEmpty() ? any.or(() -> one) : any.map(one.get()::or);
    }
    return any;
  }

  /** Returns the state of a request's object in each source, without the unknown ones. */
  public List<Presence> presences(K request) {
    List<Presence> all = new ArrayList<>();
    for (EventSource<K> source : sources) {
      Presence one = contained(source, request);
      if (one.state() != Presence.State.UNKNOWN) {
        all.add(one);
      }
    }
    return all;
  }

  private static <K> Presence contained(EventSource<K> source, K request) {
    try {
      return Objects.requireNonNull(source.presence(request));
    } catch (Throwable e) {
      return Presence.UNKNOWN; // user code
    }
  }

  public @Nullable EventSource<K> sourceOf(K request) {
    for (EventSource<K> source : sources) {
      if (source.holds(request)) {
        return source;
      }
    }
    return null;
  }
}
