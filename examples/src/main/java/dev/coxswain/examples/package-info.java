// SPDX-License-Identifier: Apache-2.0
/**
 * Controllers to run and to copy, one package each.
 *
 * <ul>
 *   <li>{@code errorbackoff}: objects that choose the outcome of their attempts
 *   <li>{@code fleet}: machines at a vendor, whose API has limits and outages
 *   <li>{@code trainingjob}: owned Pods and Services, restarts, limits, conditions
 *   <li>{@code cron}: Pods that run at set times; webhooks
 *   <li>{@code mirror}: finalizers, and owners in other namespaces
 *   <li>{@code podsimulator}: the Pods of {@code dev}
 * </ul>
 *
 * <p>The host finds them through {@link java.util.ServiceLoader}; {@code coxswain dev} installs
 * what is in the resources under {@code coxswain/dev}.
 */
@NullMarked
package dev.coxswain.examples;

import org.jspecify.annotations.NullMarked;
