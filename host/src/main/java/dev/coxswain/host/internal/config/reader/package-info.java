// SPDX-License-Identifier: Apache-2.0
/**
 * Reads YAML, environment variables and flags into one tree, and typed values out of it; each fault
 * is reported with its origin.
 */
@NullMarked
package dev.coxswain.host.internal.config.reader;

import org.jspecify.annotations.NullMarked;
