// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration of a host: one YAML file, overridden by environment variables and by flags,
 * read into validated records.
 *
 * <p>Called by the command line before anything is started, on the main thread, and again for each changed
 * file. Nothing here logs; every fault is a {@link dev.coxswain.host.internal.config.reader.ConfigurationException} that names the
 * file, the path of the key, and what was expected.
 */
@NullMarked
package dev.coxswain.host.internal.config;

import org.jspecify.annotations.NullMarked;
