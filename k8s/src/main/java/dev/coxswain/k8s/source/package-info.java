// SPDX-License-Identifier: Apache-2.0
/**
 * Feeds controllers: {@link dev.coxswain.k8s.source.KindSource} from a watch on the API server,
 * {@link dev.coxswain.k8s.source.ChannelSource} from any code, {@link
 * dev.coxswain.k8s.source.PeriodicSource} from a function that is asked now and then, {@link
 * dev.coxswain.k8s.source.HttpCallbackSource} from outside systems over HTTP.
 *
 * <p>A source is made for one controller and started by it on its event loop, which is never
 * blocked; events arrive on virtual threads. The futures of sources may complete on any thread.
 */
@NullMarked
package dev.coxswain.k8s.source;

import org.jspecify.annotations.NullMarked;
