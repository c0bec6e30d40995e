// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.ref.WeakReference;

/**
 * The main classes of all modules. They are 200 MiB and take ten seconds to read, so the tests of
 * rules, which begin together, share them, and nothing keeps them afterwards.
 */
final class MainClasses {

  private static WeakReference<JavaClasses> imported = new WeakReference<>(null);

  private MainClasses() {}

  static synchronized JavaClasses get() {
    JavaClasses classes = imported.get();
    if (classes == null) {
      classes =
          new ClassFileImporter()
              .withImportOption(new ImportOption.DoNotIncludeTests())
              .importPackages("dev.coxswain");
      imported = new WeakReference<>(classes);
    }
    return classes;
  }
}
