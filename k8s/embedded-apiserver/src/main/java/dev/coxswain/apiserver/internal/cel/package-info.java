// SPDX-License-Identifier: Apache-2.0

/**
 * Rules in the Common Expression Language, compiled and evaluated by {@code dev.cel}, with the functions and the types
 * of values that the Kubernetes API server adds. Whatever an expression uses is checked against the schema when a
 * definition is created. An evaluation has a budget, since it holds the event loop. Any thread.
 */
@NullMarked
package dev.coxswain.apiserver.internal.cel;

import org.jspecify.annotations.NullMarked;
