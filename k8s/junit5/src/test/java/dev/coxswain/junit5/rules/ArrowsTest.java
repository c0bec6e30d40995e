// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.rules;

import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaCall.Predicates;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** What this module may use; {@code ModuleArrowsTest} cannot look at it, since no module uses it but tests. */
class ArrowsTest {

  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.coxswain.junit5");

  @Test
  void internalsOfTheKubernetesLayerAndTheServer_areNotUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "dev.coxswain.k8s.internal..",
            "dev.coxswain.apiserver.internal..",
            "dev.coxswain.host..",
            "dev.coxswain.examples..")
        .check(CLASSES);
  }

  @Test
  void packages_haveNoCycles() {
    slices().matching("dev.coxswain.(**)").should().beFreeOfCycles().check(CLASSES);
  }

  @Test
  void scenariosAndReports_knowNothingOfTheMachinery() {
    noClasses()
        .that()
        .resideInAPackage("dev.coxswain.junit5.explore")
        .should()
        .dependOnClassesThat(
            DescribedPredicate.describe(
                "are internal", (JavaClass c) -> c.getPackageName().contains("junit5.internal")))
        .check(CLASSES);
  }

  @Test
  void nothingSleeps() {
    noClasses()
        .should()
        .callMethodWhere(
            Predicates.target(nameMatching("sleep"))
                .and(Predicates.target(With.owner(JavaClass.Predicates.type(Thread.class)))))
        .check(CLASSES);
  }
}
