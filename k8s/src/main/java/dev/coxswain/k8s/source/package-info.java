// SPDX-License-Identifier: Apache-2.0
/**
 * Event sources: {@link dev.coxswain.k8s.source.KindSource} from a watch on the API server, {@link
 * dev.coxswain.k8s.source.ChannelSource} from other code, {@link
 * dev.coxswain.k8s.source.PeriodicSource} from a function that is called at intervals, {@link
 * dev.coxswain.k8s.callback.HttpCallbackSource} from outside systems over HTTP. {@link
 * dev.coxswain.k8s.source.Predicates} select events, {@link dev.coxswain.k8s.source.Handlers} map
 * them to requests.
 *
 * <p>A source belongs to one controller, which starts it on its event loop and never blocks there.
 * Events arrive on virtual threads, on which predicates and handlers are called. The futures of
 * sources may complete on any thread.
 */
@NullMarked
package dev.coxswain.k8s.source;

import org.jspecify.annotations.NullMarked;
