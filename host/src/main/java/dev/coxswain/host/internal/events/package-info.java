// SPDX-License-Identifier: Apache-2.0
/** Kubernetes Events about what has happened to the whole cluster. */
@NullMarked
package dev.coxswain.host.internal.events;

import org.jspecify.annotations.NullMarked;
