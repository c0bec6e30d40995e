// SPDX-License-Identifier: Apache-2.0
/**
 * Exploration: a scenario is run once as the reference, then again with one perturbation at a time,
 * and must end the same. A {@link dev.coxswain.junit5.explore.Scenario} says what happens, a {@link
 * dev.coxswain.junit5.explore.Perturbation} what goes wrong, an {@link
 * dev.coxswain.junit5.explore.ExplorationReport} what came of it.
 */
@NullMarked
package dev.coxswain.junit5.explore;

import org.jspecify.annotations.NullMarked;
