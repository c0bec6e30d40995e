// SPDX-License-Identifier: Apache-2.0
/**
 * The metrics of a host, under the names of controller-runtime and client-go where there is one, so
 * that dashboards made for them work unchanged, and under {@code coxswain_} otherwise.
 *
 * <p>Called by the composition root. Meters are made when a controller is found, with all values of
 * their labels, and are only updated afterwards: from the event loops of the controllers, while
 * gauges are read on the thread of the scrape. Scrapes are rendered off the event loops.
 */
@NullMarked
package dev.coxswain.host.internal.metrics;

import org.jspecify.annotations.NullMarked;
