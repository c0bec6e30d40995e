// SPDX-License-Identifier: Apache-2.0
/** What has happened in the cluster: seen by each replica, kept for a while, and merged. */
@NullMarked
package dev.coxswain.admin.internal.timeline;

import org.jspecify.annotations.NullMarked;
