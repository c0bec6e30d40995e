// SPDX-License-Identifier: Apache-2.0
/**
 * Controllers to run and to copy, one package each: {@code errorbackoff} (objects that choose the outcome of their attempts),
 * {@code trainingjob} (owned Pods, restarts, limits, conditions), {@code
 * podsimulator} (the Pods of {@code dev}), {@code mirror} (finalizers, and owners in other namespaces) and {@code cron} (work at set times).
 *
 * <p>The host finds them through {@link java.util.ServiceLoader}; {@code coxswain dev} installs
 * what is in the resources under {@code coxswain/dev}.
 */
@NullMarked
package dev.coxswain.examples;

import org.jspecify.annotations.NullMarked;
