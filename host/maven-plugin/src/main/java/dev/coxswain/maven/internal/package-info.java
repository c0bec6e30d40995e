// SPDX-License-Identifier: Apache-2.0
/**
 * The Maven plug-in: each goal starts a command of {@code coxswain}, from a copy of the runtime that is made of
 * artifacts. It runs in Maven's own process, on Java 17 or later, and has no class of Coxswain there.
 */
@NullMarked
package dev.coxswain.maven.internal;

import org.jspecify.annotations.NullMarked;
