// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import org.jspecify.annotations.Nullable;

/**
 * The data of an event about something that is gone.
 *
 * @param name the name of a limiter, or null
 * @param id the id of an operation, or null
 */
public record GoneEvent(String replica, @Nullable String name, @Nullable String id, boolean gone) {}
