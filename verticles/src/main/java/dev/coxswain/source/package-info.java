// SPDX-License-Identifier: Apache-2.0
/**
 * Sources of requests: an {@link dev.coxswain.source.EventSource} is started by its controller with
 * an {@link dev.coxswain.source.EventSink} and feeds it for as long as the controller runs.
 *
 * <p>A source may run on any thread; the sink hands over to the controller's event loop.
 */
@NullMarked
package dev.coxswain.source;

import org.jspecify.annotations.NullMarked;
