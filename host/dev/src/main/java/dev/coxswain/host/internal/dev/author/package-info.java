// SPDX-License-Identifier: Apache-2.0
/**
 * The commands for authors of controllers: {@code coxswain crd}, and what else makes files from classes
 * or classes from files. Called by the command line, on the main thread.
 */
@NullMarked
package dev.coxswain.host.internal.dev.author;

import org.jspecify.annotations.NullMarked;
