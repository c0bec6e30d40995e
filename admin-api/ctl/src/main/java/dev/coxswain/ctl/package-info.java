// SPDX-License-Identifier: Apache-2.0
/**
 * The command line of the admin API: {@code coxswain ctl}, and {@code kubectl coxswain}. {@link
 * dev.coxswain.ctl.Ctl} is its entry; {@code commands} uses {@code client} and {@code print}, and
 * all of them {@code cli}.
 *
 * <p>Started for every command that a person types, so it loads neither Vert.x nor anything else
 * that takes long. Thread rule: the main thread; blocking is fine.
 */
@NullMarked
package dev.coxswain.ctl;

import org.jspecify.annotations.NullMarked;
