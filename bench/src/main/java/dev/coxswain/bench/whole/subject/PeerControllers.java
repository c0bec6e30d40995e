// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole.subject;

/**
 * The controllers of a peer. Depends on the JDK only, because a peer may need a class path of its own.
 *
 * <p>Each watches the ConfigMaps of the namespace, those of its selector if there is one, with {@link
 * SubjectSettings#WORKERS} workers and an exponential backoff; its reconciler reads the object from the cache, gives
 * it to the probe, and writes nothing.
 *
 * <p>Thread rule: one thread.
 */
@FunctionalInterface
public interface PeerControllers {
  /** Starts them; may return before or after they run. */
  void start(SubjectSettings settings, Probe probe) throws Exception;
}
